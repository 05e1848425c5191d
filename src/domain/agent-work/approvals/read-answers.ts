import { z } from "zod";
import type { AskedField, AskedInput, GivenAnswers } from "#src/wire/asked-input.ts";
import { Answer } from "./sealed-answers.ts";

/** Most characters of one answer where its field says nothing, and of all together. */
const ANSWER_CHARS = 8_000;
const ALL_CHARS = 32_000;

const FORMATS: Readonly<Record<NonNullable<AskedField["format"]>, [z.ZodType, string]>> = {
  email: [z.email(), "an email address"],
  uri: [z.url(), "an address, such as https://example.com"],
  date: [z.iso.date(), "a date, such as 2026-03-01"],
  "date-time": [z.iso.datetime({ offset: true }), "a time, such as 2026-03-01T09:00:00Z"],
};

/** The answers to a question, checked against its fields; or what is wrong, as a sentence for the person. */
export function readAnswers(
  asked: AskedInput,
  content: Readonly<Record<string, unknown>> | undefined,
): { answers: GivenAnswers } | { problem: string } {
  const fields = asked.fields ?? [];
  const given = content ?? {};
  const stray = Object.keys(given).find((name) => !fields.some((field) => field.name === name));
  if (stray !== undefined) return { problem: `There is no field "${stray.slice(0, 64)}"` };
  const answers: GivenAnswers = {};
  for (const field of fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    const isMissing = value === undefined || value === null || (value === "" && field.type !== "choice");
    if (isMissing && field.required) return { problem: `"${field.title}" is required` };
    if (isMissing) continue;
    const problem = problemOf(field, value);
    if (problem !== undefined) return { problem: `"${field.title}" must be ${problem}` };
    const known = Answer.safeParse(value).data;
    if (known !== undefined) answers[field.name] = known;
  }
  if (JSON.stringify(answers).length > ALL_CHARS) {
    return { problem: `The answers have more than ${ALL_CHARS.toLocaleString("en")} characters` };
  }
  return { answers };
}

/** What the value of a field must be, if it is not. */
function problemOf({ type, format, min, max, options = [] }: AskedField, value: unknown): string | undefined {
  const isOption = (each: unknown) => options.some((option) => option.value === each);
  const most = max ?? Infinity;
  switch (type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "true or false";
    case "choice":
      return isOption(value) ? undefined : "one of its options";
    case "choices": {
      const isList = Array.isArray(value) && new Set(value).size === value.length && value.every(isOption);
      if (!isList) return "a list of its options";
      return value.length >= (min ?? 0) && value.length <= most ? undefined : `${range(min, max)} options`;
    }
    case "number":
    case "integer": {
      if (typeof value !== "number" || !Number.isFinite(value)) return "a number";
      if (type === "integer" && !Number.isSafeInteger(value)) return "a whole number";
      return value >= (min ?? -Infinity) && value <= most ? undefined : range(min, max);
    }
    case "string":
    default: {
      if (typeof value !== "string" || value.includes("\0") || !value.isWellFormed()) return "a text";
      const longest = Math.min(most, ANSWER_CHARS);
      if (value.length < (min ?? 0) || value.length > longest)
        return `${range(min, longest)} characters long`;
      const known = format && FORMATS[format];
      return known && !known[0].safeParse(value).success ? known[1] : undefined;
    }
  }
}

function range(min: number | undefined, max: number | undefined): string {
  if (max === undefined) return `at least ${min}`;
  return min === undefined ? `at most ${max}` : `${min} to ${max}`;
}
