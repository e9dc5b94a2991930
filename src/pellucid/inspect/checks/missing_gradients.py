"""Parameters of an optimizer that get no gradient, step after step."""

from __future__ import annotations

from functools import partial
from typing import Any

from pellucid.autograd.sites import Site, user_site
from pellucid.inspect.checks.check import Check
from pellucid.inspect.checks.cut_off import latest_cut, why_and_remedy
from pellucid.inspect.checks.finding import listed
from pellucid.inspect.checks.run import Entry, Step, has_gradients

#: steps without a gradient, from the first one on, after which a parameter is reported
PATIENCE = 10
#: the same where no parameter of the optimizer has one, or where the program has ended
SHORT_PATIENCE = 3


class MissingGradients(Check):
    """A search for parameters that never have a gradient when their optimizer steps."""

    kinds = (
        "gradients cleared before the step", "no backward pass", "the loss reaches no parameter",
        "a parameter without a gradient", "a parameter replaced after the optimizer was made",
    )  # fmt: skip

    def backward_ended(self, asked: Any) -> None:
        for known in self.run.optimizers.values():
            known.cleared = None

    def zeroed(self, subject: Any) -> None:
        known = self.run.optimizers.get(id(subject))
        if known is not None and known.is_looked_at and has_gradients(subject):
            known.cleared = user_site()

    def step_ended(self, step: Step) -> None:
        lacking: list[Entry] = []
        for entry in step.entries:
            key = entry.key
            if entry.grad is not None:
                key.without_gradient = None
            elif key.without_gradient is not None:
                key.without_gradient += 1
                lacking.append(entry)
                if key.without_gradient <= PATIENCE:
                    step.optimizer.follow()
        if not lacking:
            return
        if len(lacking) < len(step.entries):
            self._report(step, _at_least(lacking, PATIENCE))
        elif _at_least(lacking, SHORT_PATIENCE):
            self._report_all(step, lacking)

    def finished(self) -> None:
        for known in tuple(self.run.optimizers.values()):
            optimizer = known.reference()
            if optimizer is None or known.stepped is None:
                continue
            step = Step(known, self.run.steps, known.stepped, partial(self.run.entries, optimizer))
            entries = [entry for entry in step.entries if entry.grad is None]
            self._report(step, _at_least(entries, SHORT_PATIENCE))

    def _report_all(self, step: Step, lacking: list[Entry]) -> None:
        cleared = step.optimizer.cleared
        if cleared is not None:
            self._report_cleared(step, lacking, cleared)
        elif self.run.last_pass is None:
            self._report_no_pass(step, lacking)
        else:
            self._report_unreached(step, lacking, self.run.last_pass)

    def _report_cleared(self, step: Step, lacking: list[Entry], cleared: Site) -> None:
        self._conclude(
            "gradients cleared before the step", lacking,
            f"{step.optimizer.name}.step() at {step.site} finds no gradient", cleared,
            f"Here the gradients that backward computed at {self.run.last_pass} are cleared, "
            "before the step has used them.",
            "Clear them before the backward pass, or after the step.", step,
        )  # fmt: skip

    def _report_no_pass(self, step: Step, lacking: list[Entry]) -> None:
        self._conclude(
            "no backward pass", lacking,
            f"{step.optimizer.name}.step() finds no gradient", step.site,
            "No backward pass has run.", "Call loss.backward() before the step.", step,
        )  # fmt: skip

    def _report_unreached(self, step: Step, lacking: list[Entry], last_pass: Site) -> None:
        names = self.run.names_of(lacking)
        others = self._replacements(step, lacking)
        if others:
            self._report_replaced(step, lacking, names)
            return
        cut = latest_cut((entry.tensor, "") for entry in lacking)
        remedy = (
            "Look for what cuts it off: detach, no_grad, .data, item(), NumPy, argmax, or a model "
            "made again after its optimizer."
            if cut is None
            else f"The latest line that has left behind what was computed from them is {cut.site}, "
            f"by {cut.how}: {cut.site.text}. Leave it out if the loss is computed from that."
        )
        self._conclude(
            "the loss reaches no parameter", lacking,
            f"no parameter of {step.optimizer.name} ({listed(names)}) has a gradient", last_pass,
            f"The graph of this loss leads to none of them, so the step at {step.site} changes "
            "nothing.", remedy, step,
        )  # fmt: skip

    def _report(self, step: Step, lacking: list[Entry]) -> None:
        """Report parameters that have no gradient while others of the optimizer have one."""
        replaced = [entry for entry in lacking if self._replacements(step, [entry])]
        if replaced:
            self._report_replaced(step, replaced, [entry.label for entry in replaced])
        unreached = [entry for entry in lacking if entry not in replaced]
        if unreached:
            names, several = self.run.names_of(unreached), len(unreached) > 1
            count, these = unreached[0].key.without_gradient, "them" if several else "it"
            site = self.run.last_pass or step.site
            why = (
                f"The loss does not depend on {these}: not used in forward, or cut off by detach, "
                "no_grad, .data or NumPy."
            )
            remedy = (
                f"inspect.graph(loss) shows what it depends on; leave {these} out of the optimizer "
                "if that is meant."
            )
            cut = latest_cut(
                (each.tensor, name) for each, name in zip(unreached, names, strict=True)
            )
            if cut is not None:
                site, (why, remedy) = cut.site, why_and_remedy(cut, len(unreached))
            self._conclude(
                "a parameter without a gradient", unreached,
                f"{listed(names)} {'have' if several else 'has'} had no gradient in any of the "
                f"{count} steps of {step.optimizer.name}", site, why, remedy, step,
            )  # fmt: skip

    def _report_replaced(self, step: Step, lacking: list[Entry], names: list[str]) -> None:
        new = self._replacements(step, lacking)
        since = next((site for _, site in new if site is not None), None)
        made = step.optimizer.made
        self._conclude(
            "a parameter replaced after the optimizer was made", lacking,
            f"{listed(names)} of {step.optimizer.name} "
            f"{'are' if len(lacking) > 1 else 'is'} no longer in the model",
            since or made or step.site,
            f"The model uses {listed([name for name, _ in new])} instead, which the optimizer"
            f"{'' if since is None or made is None else f' made at {made}'} does not have.",
            "Make the optimizer after the model is complete, or assign to .data or use copy_ to "
            "keep the parameter.", step,
        )  # fmt: skip

    def _replacements(self, step: Step, lacking: list[Entry]) -> list[tuple[str, Site | None]]:
        """Return parameters in no optimizer, if none of those lacking is in a module.

        Each goes by its name, with the line that assigned it after the optimizer was made.
        """
        optimized, shapes = self.run.optimized(), {tuple(each.tensor.shape) for each in lacking}
        found: list[tuple[str, Site | None]] = []
        identities = {id(entry.tensor) for entry in lacking}
        known = step.optimizer
        for module in self.run.live_modules():
            for name, parameter in module.named_parameters():
                if id(parameter) in identities:
                    return []
                if id(parameter) not in optimized and parameter.grad is not None:
                    since = self.run.assigned_since(known, module, name)
                    if since is not None or tuple(parameter.shape) in shapes:
                        found.append((f"{type(module).__name__}.{name}", since))
        return found

    def _conclude(
        self, kind: str, entries: list[Entry], what: str, site: Site, why: str, remedy: str,
        step: Step,
    ) -> None:  # fmt: skip
        for entry in entries:
            entry.key.without_gradient = None
        self.report(kind, what, site, why, remedy, step.number)


def _at_least(entries: list[Entry], steps: int) -> list[Entry]:
    return [entry for entry in entries if (entry.key.without_gradient or 0) >= steps]
