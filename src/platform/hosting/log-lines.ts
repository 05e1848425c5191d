const MAX_LINES = 1000;
const MAX_LINE = 2000;
/** Colours and cursor movements of build tools. */
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001B\[[0-9;?]*[A-Za-z]/gu;

/** Lines of a provider's log, the last ones if there are too many: a failure is at the end. */
export function logLines(texts: readonly string[], scrub: (text: string) => string): string[] {
  return texts
    .flatMap((text) => scrub(text).split(/\r\n|\n|\r/u))
    .map((line) => line.replaceAll(ESCAPES, "").trimEnd().slice(0, MAX_LINE))
    .filter((line) => line !== "")
    .slice(-MAX_LINES);
}
