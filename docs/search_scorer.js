// How results of the site's search are ordered: lessons, each of which answers one question, come
// before pages that list, and those that have the words of all questions come last. A page whose
// title has a word that was typed comes before those that have it in their text.
const ASKED = new URLSearchParams(location.search).get("q") ?? "";
const TYPED = ASKED.toLowerCase().match(/[\w-]{4,}/g) ?? [];
var Scorer = {
  score: ([name, title, , , score]) => {
    const weights = {
      learn: 40, use: 15, decisions: -40, reference: -20,
      "learn/index": 10, "learn/build-your-own": 10, tour: -10,
    };
    const named = TYPED.filter((word) => title.toLowerCase().includes(word));
    return score + (weights[name] ?? weights[name.split("/")[0]] ?? 0) + 20 * named.length;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
