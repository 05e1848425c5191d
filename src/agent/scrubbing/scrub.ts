import { findUnknown } from "./find-unknown.ts";
import { isSecretValue } from "./hinted-values.ts";
import { NeedleFinder } from "./needle-finder.ts";
import { needlesOf } from "./needles.ts";
import type { KnownSecret } from "./placement.ts";
import { isSecretName } from "./secret-names.ts";
import { joinSpans, markerOf, replaceSpans, type Span } from "./spans.ts";

/**
 * Known secrets, made ready to be looked for. Making it costs some tenths of a millisecond a secret; it may be used as often
 * as one likes.
 */
export class KnownSecrets {
  readonly finder: NeedleFinder;

  constructor(secrets: readonly KnownSecret[]) {
    this.finder = new NeedleFinder(needlesOf(secrets));
  }
}

/**
 * A text without secrets: `«secret:NAME»` in place of those that are known, in the clear or as base64, in an address or in
 * JSON; `«secret»` in place of what looks like one. Hides accidents: whoever means to get a secret out writes it
 * in a form of his own. The work is linear in the length of the text.
 */
export function scrubText(text: string, known: KnownSecrets): string {
  const { plain, origin } = withoutColours(text);
  const spans = joinSpans([...known.finder.find(plain).spans, ...findUnknown(plain)]);
  return replaceSpans(text, origin ? spans.map((span) => moved(span, origin)) : spans);
}

/**
 * A text with `«secret:NAME»` in place of known secrets, and nothing else hidden: what only looks like a secret stays, and so do
 * control sequences.
 */
export function markKnownSecrets(text: string, known: KnownSecrets): string {
  return replaceSpans(text, joinSpans(known.finder.find(text).spans));
}

/**
 * A JSON value without secrets: its texts as `scrubText` shows them, its keys as they are. A key that says that its value is
 * secret is heeded. What is no JSON (dates, maps) is handed back as it is.
 */
export function scrubValue<T>(value: T, known: KnownSecrets): T;
export function scrubValue(value: unknown, known: KnownSecrets): unknown {
  return scrubbed(value, known, "");
}

function scrubbed(value: unknown, known: KnownSecrets, key: string): unknown {
  if (typeof value === "string") {
    const text = scrubText(value, known);
    const isHinted = text === value && isSecretName(key) && !/\s/u.test(value) && isSecretValue(value);
    return isHinted ? markerOf(undefined) : text;
  }
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, known, key));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, scrubbed(field, known, name)]),
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Terminal colours and the like (ECMA-48 control sequences), which programs also put into the middle of a word. */
// oxlint-disable-next-line no-control-regex
const COLOURS = /\u001B\[[0-?]{0,32}[ -/]{0,4}[@-~]/g;

/** A text without control sequences, and, where it had any, the place of each of its characters in the text. */
function withoutColours(text: string): { plain: string; origin: Uint32Array | undefined } {
  if (!text.includes("\u001B[")) return { plain: text, origin: undefined };
  const origin = new Uint32Array(text.length + 1);
  let plain = "";
  let at = 0;
  const take = (end: number) => {
    for (let offset = 0; offset < end - at; offset += 1) origin[plain.length + offset] = at + offset;
    plain += text.slice(at, end);
  };
  for (const { 0: sequence, index } of text.matchAll(COLOURS)) {
    take(index);
    at = index + sequence.length;
  }
  take(text.length);
  return { plain, origin };
}

function moved({ start, end, key }: Span, origin: Uint32Array): Span {
  return { start: origin[start] ?? 0, end: (origin[end - 1] ?? 0) + 1, key };
}
