import { visibleLine } from "#src/lib/visible.ts";
import type { AskedField, AskedInput } from "#src/wire/asked-input.ts";

/** Most characters of a form that a person reads and fills in as text. */
const FORM_CHARS = 1_500;

/**
 * The fields of a form in lines that begin with the labels by which a text answers them; undefined for a form that is too
 * long for a text, or has two fields of one label. Foreign words, with nothing hidden in them.
 */
export function formLines({ fields = [] }: AskedInput): string | undefined {
  const labels = fields.map((field) => lowered(labelOf(field, fields)));
  if (new Set(labels).size < labels.length) return undefined;
  const lines = fields.map((field) => lineOf(field, fields)).join("\n");
  return lines.length > FORM_CHARS ? undefined : lines;
}

/** How the text of a message answers a form: a static sentence, after the mark of commands. */
export function howToFillIn({ fields = [] }: AskedInput, mark = "/"): string {
  return fields.length === 1
    ? `Write \`${mark}answer\` and your answer.`
    : `Write \`${mark}answer\` and below it a line \`name: value\` for each field.`;
}

/**
 * The content of an answer from a text: a line `label: value` for each field, where further lines belong to the field above
 * them, or the value alone of an only field. Defaults count where nothing is said. Returns what is wrong, as a sentence.
 */
export function contentOfText(
  asked: AskedInput,
  text: string,
  mark = "/",
): { content: Record<string, unknown> } | { problem: string } {
  const { fields = [] } = asked;
  const [only, ...others] = fields;
  const given = new Map<string, string>();
  let last = only && others.length === 0 ? only.name : undefined;
  for (const line of text.trim() === "" ? [] : text.trim().split(/\r?\n/u)) {
    const field = fieldAt(line, fields);
    if (field && given.has(field.name)) return { problem: `"${field.title}" is there twice.` };
    if (!field && last === undefined) return { problem: howToFillIn(asked, mark) };
    if (field) given.set(field.name, line.trim().slice(labelAt(line, field, fields).length + 1));
    else if (last !== undefined) given.set(last, [given.get(last) ?? [], line].flat().join("\n"));
    last = field?.name ?? last;
  }
  const known = fields.flatMap((field) => {
    const answer = given.get(field.name);
    const value = answer === undefined ? field.default : valueOf(field, answer.trim());
    return value === undefined ? [] : [[field.name, value] as const];
  });
  return { content: Object.fromEntries(known) };
}

const lowered = (text: string) => text.toLowerCase();

/** The title of a field, or its name where the title is no plain one, or is that of another field, too. */
function labelOf({ name, title }: AskedField, fields: readonly AskedField[]): string {
  const isOther = (each: AskedField) =>
    each.name !== name && [each.name, each.title].some((label) => lowered(label) === lowered(title));
  return title === "" || visibleLine(title) !== title || fields.some(isOther) ? name : title;
}

/** The label with which a line begins: the one that is shown, or the name. */
function labelAt(line: string, field: AskedField, fields: readonly AskedField[]): string {
  const begins = (label: string) => lowered(line.trim()).startsWith(`${lowered(label)}:`);
  return [labelOf(field, fields), field.name].find(begins) ?? "";
}

/** The field that a line answers; of two labels, one of which begins with the other, the longer one. */
function fieldAt(line: string, fields: readonly AskedField[]): AskedField | undefined {
  const found = fields.map((field) => ({ field, label: labelAt(line, field, fields) }));
  const [first] = found
    .filter(({ label }) => label !== "")
    .toSorted((a, b) => b.label.length - a.label.length);
  return first?.field;
}

function lineOf(field: AskedField, fields: readonly AskedField[]): string {
  const { description, required } = field;
  const about = description === undefined || description === "" ? "" : ` – ${description}`;
  const shown = field.default === undefined ? "" : `; otherwise ${shownOf(field, field.default)}`;
  const optional = required ? "" : " (optional)";
  return visibleLine(`${labelOf(field, fields)}${optional}: ${kindOf(field)}${shown}${about}`);
}

const FORMATS = {
  email: "an email address",
  uri: "an address",
  date: "a date",
  "date-time": "a time",
} as const;

function kindOf({ type, format, min, max, options = [] }: AskedField): string {
  const titles = options.map(({ title }) => title).join(", ");
  switch (type) {
    case "boolean":
      return "yes or no";
    case "choice":
      return `one of ${titles}`;
    case "choices":
      return `some of ${titles}, with commas between them`;
    case "number":
    case "integer":
      return [type === "integer" ? "a whole number" : "a number", ...range(min, max)].join(", ");
    case "string":
    default:
      return [
        format ? FORMATS[format] : "a text",
        ...range(min, max).map((each) => `${each} characters`),
      ].join(", ");
  }
}

function range(min: number | undefined, max: number | undefined): string[] {
  return [
    ...(min === undefined ? [] : [`at least ${min}`]),
    ...(max === undefined ? [] : [`at most ${max}`]),
  ];
}

function shownOf({ options = [] }: AskedField, value: NonNullable<AskedField["default"]>): string {
  const titleOf = (each: string) => options.find((option) => option.value === each)?.title ?? each;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? value.map(titleOf).join(", ") : titleOf(String(value));
}

const SWITCH: Readonly<Record<string, boolean>> = {
  yes: true,
  y: true,
  true: true,
  no: false,
  n: false,
  false: false,
};

/** A text as a value of its field's type, where it is one; undefined for an empty one. */
function valueOf({ type, options = [] }: AskedField, text: string): unknown {
  const optionOf = (each: string) =>
    options.find(({ value, title }) => value === each || title === each)?.value ??
    options.find(({ value, title }) => [value, title].some((label) => lowered(label) === lowered(each)))
      ?.value;
  if (text === "") return undefined;
  switch (type) {
    case "boolean":
      return Object.hasOwn(SWITCH, lowered(text)) ? SWITCH[lowered(text)] : text;
    case "number":
    case "integer":
      return Number.isNaN(Number(text)) ? text : Number(text);
    case "choice":
      return optionOf(text) ?? text;
    case "choices": {
      const whole = optionOf(text);
      if (whole !== undefined) return [whole];
      return text.split(",").map((each) => optionOf(each.trim()) ?? each.trim());
    }
    case "string":
    default:
      return text;
  }
}
