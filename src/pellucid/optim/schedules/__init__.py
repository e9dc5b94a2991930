"""The schedules behind `lr_scheduler`, one file for each idea."""
