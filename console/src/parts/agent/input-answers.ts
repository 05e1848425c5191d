import type { api } from "@agent-workspace/client";

type Answer = string | number | boolean | string[];

/** The answers that a person has given in the form of a server, of the types of its fields. What is left empty is left out. */
export function answersIn(form: FormData, fields: readonly api.AskedField[]): Record<string, Answer> {
  const answers = fields.flatMap((field): [string, Answer][] => {
    const answer = answerOf(form.getAll(field.name).map(String), field);
    return answer === undefined ? [] : [[field.name, answer]];
  });
  return Object.fromEntries(answers);
}

function answerOf(given: readonly string[], { type, format, required, options = [] }: api.AskedField) {
  const [first = ""] = given;
  const valueAt = (place: string) => options[Number(place)]?.value ?? "";
  switch (type) {
    case "boolean":
      return given.length > 0;
    case "choices":
      return given.length > 0 || required ? given.map(valueAt) : undefined;
    case "choice":
      return first === "" ? undefined : valueAt(first);
    case "number":
    case "integer":
      return first.trim() === "" ? undefined : Number(first);
    case "string":
    default: {
      // The browser's field has the local time, without its zone.
      const isMoment = format === "date-time" && first !== "";
      return isMoment ? new Date(first).toISOString() : first === "" ? undefined : first;
    }
  }
}
