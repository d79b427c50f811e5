from typing import Any

from tenfold.svm.kernel_perceptron import KernelPerceptron as KernelPerceptron
from tenfold.svm.linear_svc import LinearSVC as LinearSVC
from tenfold.svm.linear_svr import LinearSVR as LinearSVR
from tenfold.svm.slack_table import SlackTable as SlackTable
from tenfold.svm.svc import SVC as SVC
from tenfold.svm.svr import SVR as SVR

def __getattr__(name: str) -> Any: ...
