"""A small network whose bits depend on who shares a step: batch normalization and dropout, trained with Adam."""

NORMED = {
    "name": "normed",
    "input": [20],
    "layers": [
        {"dense": 32, "activation": "relu"},
        {"batch_norm": True},
        {"dropout": 0.2},
        {"dense": 5, "activation": "softmax"},
    ],
    "loss": "sparse_categorical_crossentropy",
    "optimizer": {"adam": {"learning_rate": 0.001}},
}
