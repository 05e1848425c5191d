import { findUnknown } from "./find-unknown.ts";
import { isSecretValue } from "./hinted-values.ts";
import { NeedleFinder } from "./needle-finder.ts";
import { needlesOf } from "./needles.ts";
import type { KnownSecret } from "./placement.ts";
import { isSecretName } from "./secret-names.ts";
import { joinSpans, markerOf, replaceSpans, type Span } from "./spans.ts";

/**
 * Known secrets, prepared for searching. Preparing costs some tenths of a millisecond per secret; the result is
 * reusable.
 */
export class KnownSecrets {
  readonly finder: NeedleFinder;

  constructor(secrets: readonly KnownSecret[]) {
    this.finder = new NeedleFinder(needlesOf(secrets));
  }
}

/**
 * Returns a text without secrets: `«secret:NAME»` replaces known ones (plain, as base64, in an address or in JSON), and
 * `«secret»` replaces what looks like one. This prevents accidents only: an attacker can encode a secret in a form that
 * is not searched for. The work is linear in the length of the text.
 */
export function scrubText(text: string, known: KnownSecrets): string {
  const { plain, origin } = withoutColours(text);
  const spans = joinSpans([...known.finder.find(plain).spans, ...findUnknown(plain)]);
  return replaceSpans(text, origin ? spans.map((span) => moved(span, origin)) : spans);
}

/**
 * Returns a text with `«secret:NAME»` in place of known secrets. Text that only looks like a secret stays, and so do
 * control sequences.
 */
export function markKnownSecrets(text: string, known: KnownSecrets): string {
  return replaceSpans(text, joinSpans(known.finder.find(text).spans));
}

/**
 * Returns a JSON value without secrets: its texts as `scrubText` returns them, its keys unchanged. A key that says that
 * its value is secret is taken into account. Values that are not JSON (dates, maps) are returned as they are.
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

/** Returns a text without control sequences and, if it had any, the original position of each of its characters. */
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
