import { z } from "zod";
import { storableJson } from "#src/lib/storable-text.ts";
import { visible } from "#src/lib/visible.ts";
import type { AskedField, AskedInput } from "#src/wire/asked-input.ts";

/** Limits of one question. A person reads no more, and what is larger asks for something else than the protocol means. */
const MOST_FIELDS = 20;
const MOST_OPTIONS = 300;
const MESSAGE_CHARS = 4_000;
const URL_CHARS = 2_000;
const MAX_CHARS = 32_000;

const NAME = /^[a-zA-Z0-9_.-]{1,64}$/u;
/** Hosts that a browser reaches on its own machine, where https is not usual. */
const OWN_MACHINE: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

const label = z.string().max(200);
const length = z.int().nonnegative().optional();
const named = { title: label.optional(), description: z.string().max(1_000).optional() };
const listed = z.array(label).min(1).max(MOST_OPTIONS);
const titled = z
  .array(z.strictObject({ const: label, title: label }))
  .min(1)
  .max(MOST_OPTIONS);

const Text = z.strictObject({
  type: z.literal("string"),
  ...named,
  minLength: length,
  maxLength: length,
  /** Never run: a foreign pattern can take any time. The server checks it. */
  pattern: z.string().optional(),
  format: z.enum(["email", "uri", "date", "date-time"]).optional(),
  default: z.string().optional(),
});
const Count = z.strictObject({
  type: z.enum(["number", "integer"]),
  ...named,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.number().optional(),
});
const Switch = z.strictObject({ type: z.literal("boolean"), ...named, default: z.boolean().optional() });
const Choice = z.strictObject({
  type: z.literal("string"),
  ...named,
  enum: listed.optional(),
  enumNames: z.array(label).optional(),
  oneOf: titled.optional(),
  default: z.string().optional(),
});
const Choices = z.strictObject({
  type: z.literal("array"),
  ...named,
  minItems: length,
  maxItems: length,
  items: z.union([
    z.strictObject({ type: z.literal("string").optional(), enum: listed }),
    z.strictObject({ type: z.literal("string").optional(), anyOf: titled }),
  ]),
  default: z.array(z.string()).optional(),
});

const Form = z.object({
  mode: z.literal("form").optional(),
  message: z.string(),
  requestedSchema: z.object({
    type: z.literal("object"),
    properties: z.record(z.string(), z.unknown()),
    required: z.array(z.string()).optional(),
  }),
});
const Address = z.object({ mode: z.literal("url"), message: z.string(), url: z.string() });

/** Why a question is put to nobody, as the end of a sentence. */
class Refused extends Error {}

/**
 * The question of a server as a person is shown it. Returns the problem of one that the protocol does not allow, that is too large,
 * or that repeats a secret: `mark` replaces those in a text.
 */
export function readAskedInput(
  server: string,
  params: unknown,
  mark: (text: string) => string,
): { asked: AskedInput } | { problem: string } {
  try {
    const asked = storableJson<AskedInput>({ server, ...questionOf(params) });
    const json = JSON.stringify(asked);
    if (json.length > MAX_CHARS) throw new Refused("it is too long");
    if (mark(json) !== json) throw new Refused("it repeats a stored secret");
    return { asked };
  } catch (error) {
    if (error instanceof Refused) return { problem: error.message };
    throw error;
  }
}

function questionOf(params: unknown): Omit<AskedInput, "server"> {
  const address = Address.safeParse(params).data;
  const form = address ? undefined : Form.safeParse(params).data;
  const question = address ?? form;
  if (!question) throw new Refused("it is neither a form nor an address as the protocol has them");
  const { message } = question;
  if (message.length > MESSAGE_CHARS) {
    throw new Refused(`its message has more than ${MESSAGE_CHARS.toLocaleString("en")} characters`);
  }
  if (address) return { mode: "url", message, ...placeOf(address.url) };
  return { mode: "form", message, fields: form ? fieldsOf(form.requestedSchema) : [] };
}

function placeOf(text: string): { url: string; host: string } {
  const url = text.length <= URL_CHARS && visible(text) === text ? URL.parse(text) : null;
  if (!url) throw new Refused("its address is none, or too long");
  const isOwn = url.protocol === "http:" && OWN_MACHINE.has(url.hostname);
  if (url.protocol !== "https:" && !isOwn) throw new Refused("its address is not https");
  if (url.username !== "" || url.password !== "") throw new Refused("its address has credentials in it");
  return { url: url.href, host: url.host };
}

function fieldsOf({ properties, required = [] }: z.output<typeof Form>["requestedSchema"]): AskedField[] {
  const names = Object.keys(properties);
  if (names.length > MOST_FIELDS) throw new Refused(`it has more than ${MOST_FIELDS} fields`);
  if (required.some((name) => !Object.hasOwn(properties, name)))
    throw new Refused("it requires a field that it does not have");
  return names.map((name) => {
    if (!NAME.test(name) || name === "__proto__") throw new Refused("a field has a name that is not allowed");
    const known = kindOf(properties[name]);
    if (!known) throw new Refused(`the schema of its field ${name} is not one that the protocol has`);
    const { title = name, description } = known.named;
    const about = description === undefined ? {} : { description };
    return { name, title, ...about, required: required.includes(name), ...known.kind };
  });
}

interface Known {
  named: { title?: string | undefined; description?: string | undefined };
  kind: Omit<AskedField, "name" | "title" | "description" | "required">;
}

function kindOf(schema: unknown): Known | undefined {
  const text = Text.safeParse(schema).data;
  if (text) {
    const { type, format, minLength: min, maxLength: max } = text;
    return { named: text, kind: given({ type, format, min, max, default: text.default }) };
  }
  const count = Count.safeParse(schema).data;
  if (count) {
    const { type, minimum: min, maximum: max } = count;
    return { named: count, kind: given({ type, min, max, default: count.default }) };
  }
  const choice = Choice.safeParse(schema).data;
  if (choice && (choice.enum === undefined) !== (choice.oneOf === undefined)) {
    const options = choice.oneOf
      ? optionsOf(choice.oneOf)
      : (choice.enum ?? []).map((value, place) => ({
          value,
          title: choice.enumNames?.[place] ?? value,
        }));
    return { named: choice, kind: given({ type: "choice", options, default: choice.default }) };
  }
  const choices = Choices.safeParse(schema).data;
  if (choices) {
    const { items, minItems: min, maxItems: max } = choices;
    const options =
      "enum" in items ? items.enum.map((value) => ({ value, title: value })) : optionsOf(items.anyOf);
    return { named: choices, kind: given({ type: "choices", min, max, options, default: choices.default }) };
  }
  const on = Switch.safeParse(schema).data;
  return on && { named: on, kind: given({ type: on.type, default: on.default }) };
}

const optionsOf = (titles: z.output<typeof titled>) =>
  titles.map(({ const: value, title }) => ({ value, title }));

/** Without what is undefined. */
function given<T extends object>(fields: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is undefined is left out
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]: Exclude<T[Name], undefined>;
  };
}
