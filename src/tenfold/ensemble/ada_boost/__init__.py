"""AdaBoost, of stumps and of any classifier."""
