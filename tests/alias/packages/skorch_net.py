"""skorch: a network as a classifier of scikit-learn, in a pipeline and a grid search."""

import numpy as np
import torch
from report import report
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier

x, y = make_classification(80, 6, random_state=0)
x, y = x.astype(np.float32), y.astype(np.int64)


class Net(torch.nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(6, width), torch.nn.ReLU(), torch.nn.Dropout(0.2),
            torch.nn.Linear(width, 2), torch.nn.Softmax(-1),
        )  # fmt: skip

    def forward(self, x):
        return self.layers(x)


torch.manual_seed(0)
net = NeuralNetClassifier(Net, max_epochs=3, lr=0.1, verbose=0)
net.fit(x, y)
report("losses", net.history[:, "train_loss"], net.history[:, "valid_loss"])
report("probabilities", torch.as_tensor(net.predict_proba(x[:4])))
pipeline = Pipeline([("scale", StandardScaler()), ("net", net)])
search = GridSearchCV(pipeline, {"net__lr": [0.05, 0.5]}, cv=2, scoring="accuracy")
search.fit(x, y)
report("scores", search.cv_results_["mean_test_score"].tolist(), search.best_params_["net__lr"])
