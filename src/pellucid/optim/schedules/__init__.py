"""The schedulers of ``lr_scheduler``, grouped by idea."""
