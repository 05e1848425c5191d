import { visible, visibleLine, type api } from "@agent-workspace/client";
import { UsageError } from "../errors.ts";

/** What an MCP server asks, in lines: its words, then the fields or the whole address. */
export function linesOfInput({ message, url, host, fields = [] }: api.AskedInput): string[] {
  const words = visible(message).split("\n");
  if (url !== undefined)
    return [...words, `It wants you to open an address at ${visibleLine(host ?? "")}:`, visibleLine(url)];
  return [...words, ...fields.map(lineOf)];
}

function lineOf({
  name,
  title,
  description,
  required,
  type,
  options = [],
  ...field
}: api.AskedField): string {
  const kinds = options.map(({ value, title: shown }) => (shown === value ? value : `${value} (${shown})`));
  const parts = [
    options.length > 0
      ? `${type === "choices" ? "some of" : "one of"} ${kinds.join(", ")}`
      : (field.format ?? type),
    ...(field.min === undefined ? [] : [`at least ${field.min}`]),
    ...(field.max === undefined ? [] : [`at most ${field.max}`]),
    ...(required ? [] : ["optional"]),
    ...(field.default === undefined ? [] : [`default ${JSON.stringify(field.default)}`]),
  ];
  const about = [title === name ? "" : title, description ?? ""].filter((text) => text !== "").join(": ");
  return visibleLine(`${name}${about === "" ? "" : ` ${about}`} [${parts.join("; ")}]`);
}

/** How a person answers it, in a sentence. */
export function howToAnswerInput(id: string, { mode, fields = [] }: api.AskedInput, caller: string): string {
  const who = caller === "key" ? "Only a person can answer, signed in: " : "Answer with ";
  if (mode === "url")
    return `Open it only if you trust it. ${who}\`workspace approvals accept ${id}\` once you have done it, or decline.`;
  const sets = fields.map(({ name }) => ` ${name}=…`).join("");
  return `Never give secrets. ${who}\`workspace approvals accept ${id}${sets}\`, or decline.`;
}

/** The content of an answer from `name=value` texts, of the types of the fields; the defaults where nothing is given. Throws `UsageError`. */
export function contentOf({ fields = [] }: api.AskedInput, sets: readonly string[]): Record<string, unknown> {
  const given = new Map<string, string>();
  for (const set of sets) {
    const at = set.indexOf("=");
    if (at < 1) throw new UsageError(`An answer is name=value, not ${visibleLine(set)}`);
    given.set(set.slice(0, at), set.slice(at + 1));
  }
  const known = fields.flatMap((field) => {
    const text = given.get(field.name);
    given.delete(field.name);
    const value = text === undefined ? field.default : textAsValue(field, text);
    return value === undefined ? [] : [[field.name, value] as const];
  });
  const [stray] = given.keys();
  if (stray !== undefined) throw new UsageError(`There is no field ${visibleLine(stray)}`);
  return Object.fromEntries(known);
}

/** A text as a value of its field's type. Throws `UsageError`. */
export function textAsValue({ name, type }: api.AskedField, text: string): unknown {
  switch (type) {
    case "boolean":
      if (text !== "true" && text !== "false") throw new UsageError(`${name} takes true or false`);
      return text === "true";
    case "number":
    case "integer":
      if (text.trim() === "" || Number.isNaN(Number(text))) throw new UsageError(`${name} takes a number`);
      return Number(text);
    case "choices":
      return text === "" ? [] : text.split(",");
    case "choice":
    case "string":
    default:
      return text;
  }
}
