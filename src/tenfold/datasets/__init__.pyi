from typing import Any

from tenfold.datasets.concepts import load_enjoy_sport as load_enjoy_sport
from tenfold.datasets.concepts import load_gate as load_gate
from tenfold.datasets.concepts import load_graph_coloring as load_graph_coloring
from tenfold.datasets.concepts import load_play_tennis as load_play_tennis
from tenfold.datasets.concepts import load_primes as load_primes
from tenfold.datasets.generators import make_marked_sequences as make_marked_sequences
from tenfold.datasets.generators import make_separable as make_separable
from tenfold.datasets.probabilities import load_burglary as load_burglary
from tenfold.datasets.probabilities import load_candy_bags as load_candy_bags
from tenfold.datasets.probabilities import load_loaded_die as load_loaded_die
from tenfold.datasets.probabilities import load_weather_table as load_weather_table
from tenfold.datasets.probabilities import make_candy_draws as make_candy_draws

def __getattr__(name: str) -> Any: ...
