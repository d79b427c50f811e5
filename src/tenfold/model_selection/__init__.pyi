from typing import Any

from tenfold.model_selection.calibration.calibrated_classifier_cv import CalibratedClassifierCV as CalibratedClassifierCV
from tenfold.model_selection.calibration.threshold_classifiers import FixedThresholdClassifier as FixedThresholdClassifier
from tenfold.model_selection.calibration.threshold_classifiers import TunedThresholdClassifierCV as TunedThresholdClassifierCV
from tenfold.model_selection.certification.certify import certify as certify
from tenfold.model_selection.certification.intervals import Interval as Interval
from tenfold.model_selection.certification.intervals import difference_interval as difference_interval
from tenfold.model_selection.certification.intervals import error_interval as error_interval
from tenfold.model_selection.certification.sharpness import sharpness as sharpness
from tenfold.model_selection.comparison.compare import compare as compare
from tenfold.model_selection.comparison.compare import compare_all as compare_all
from tenfold.model_selection.comparison.comparison_result import Comparison as Comparison
from tenfold.model_selection.comparison.comparison_result import Comparisons as Comparisons
from tenfold.model_selection.comparison.overfitting import Overfitting as Overfitting
from tenfold.model_selection.comparison.overfitting import overfits as overfits
from tenfold.model_selection.comparison.ranks import Ranks as Ranks
from tenfold.model_selection.cross_validation.cross_val_predict import cross_val_predict as cross_val_predict
from tenfold.model_selection.cross_validation.cross_validate import cross_validate as cross_validate
from tenfold.model_selection.cross_validation.cross_validation_result import CrossValidation as CrossValidation
from tenfold.model_selection.cross_validation.fit_together import fit_together as fit_together
from tenfold.model_selection.cross_validation.train_test_split import train_test_split as train_test_split
from tenfold.model_selection.cross_validation.tune import Tuned as Tuned
from tenfold.model_selection.cross_validation.tune import tune as tune
from tenfold.model_selection.curves.bias_variance import bias_variance as bias_variance
from tenfold.model_selection.curves.estimate_error import EstimateError as EstimateError
from tenfold.model_selection.curves.estimate_error import estimate_error as estimate_error
from tenfold.model_selection.curves.learning_curve import LearningCurve as LearningCurve
from tenfold.model_selection.curves.learning_curve import learning_curve as learning_curve
from tenfold.model_selection.curves.loss_decomposition import BiasVariance as BiasVariance
from tenfold.model_selection.curves.validation_curve import ValidationCurve as ValidationCurve
from tenfold.model_selection.curves.validation_curve import validation_curve as validation_curve

def __getattr__(name: str) -> Any: ...
