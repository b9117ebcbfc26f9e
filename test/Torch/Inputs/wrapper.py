"""A tensor class of a user, which PyTorch's own operators take and others do not."""

import torch


class Wrapper(torch.Tensor):
    """A tensor that holds another one, and knows PyTorch's own operators only."""

    @staticmethod
    def __new__(cls, held):
        made = torch.Tensor._make_wrapper_subclass(cls, held.shape, dtype=held.dtype, device=held.device, strides=held.stride())
        made.held = held
        return made

    def __tensor_flatten__(self):
        return ["held"], None

    @staticmethod
    def __tensor_unflatten__(tensors, meta, shape, strides):
        return Wrapper(tensors["held"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        assert func.namespace == "aten", func
        inside = torch.utils._pytree.tree_map_only(Wrapper, lambda tensor: tensor.held, (args, kwargs or {}))
        return torch.utils._pytree.tree_map_only(torch.Tensor, Wrapper, func(*inside[0], **inside[1]))
