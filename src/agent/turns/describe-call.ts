import { storableText } from "#src/lib/storable-text.ts";
import type { ToolCall } from "#src/models/model.ts";
import { parsedArguments } from "#src/models/tool-calls.ts";
import { scrubText, scrubValue, type KnownSecrets } from "../scrubbing/scrub.ts";
import { boundValue } from "../tools/bound-value.ts";

/** A call as it is stored and shown: scrubbed, and its parameters bounded. The tool receives what the model wrote. */
export function describeCall({ id, name, arguments: written }: ToolCall, known: KnownSecrets) {
  return {
    id,
    name,
    arguments: scrubText(written, known),
    parameters: boundParameters(scrubValue(parsedArguments(written) ?? {}, known)),
  };
}

/** Bounds arguments for events and steps; the tool receives them whole. */
function boundParameters(parameters: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [storableText(name), boundValue(value, SHOWN)]),
  );
}

const SHOWN = { chars: 4_000, items: 100 };
