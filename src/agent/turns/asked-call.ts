import { storableText } from "#src/lib/storable-text.ts";
import { parsedArguments } from "#src/models/tool-calls.ts";
import { markKnownSecrets, type KnownSecrets } from "../scrubbing/scrub.ts";
import { boundValue } from "../tools/bound-value.ts";

/** Largest arguments of a call that needs an approval, in bytes of JSON: a person does not read more. */
export const MAX_ASKED_BYTES = 64 * 1024;

/** How much of each text and each list an event shows; the approval itself holds the whole call. */
const SHOWN = { chars: 4_000, items: 100 };

/**
 * The arguments of a call as its approver reads them: whole, with stored secrets replaced by a marker. Text that only
 * looks like a secret stays, because a marker over it could hide what a command does: see
 * docs/decisions/0028-agent-permissions.md. Arguments that are not an object are shown as empty; no tool accepts them.
 */
export function askedParameters(argumentsText: string, stored: KnownSecrets): Record<string, unknown> {
  const parameters = parsedArguments(argumentsText) ?? {};
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [storableText(name), shown(value, stored)]),
  );
}

function shown(value: unknown, stored: KnownSecrets): unknown {
  if (typeof value === "string") return storableText(markKnownSecrets(value, stored));
  if (Array.isArray(value)) return value.map((item) => shown(item, stored));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [storableText(name), shown(field, stored)]),
  );
}

/** Parameters as an event shows them, and whether anything was cut. */
export function shortened(parameters: Record<string, unknown>): {
  parameters: Record<string, unknown>;
  isShortened: boolean;
} {
  const bounded = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, boundValue(value, SHOWN)]),
  );
  return { parameters: bounded, isShortened: JSON.stringify(bounded) !== JSON.stringify(parameters) };
}
