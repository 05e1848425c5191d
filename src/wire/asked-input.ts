/** What an MCP server asks a person for in the middle of a call: the elicitation of the protocol, as clients are shown it. */
import { z } from "zod";

const Field = z
  .object({
    name: z.string(),
    title: z.string().describe("Foreign text"),
    description: z.string().optional().describe("Foreign text"),
    required: z.boolean(),
    type: z
      .enum(["string", "number", "integer", "boolean", "choice", "choices"])
      .describe("`choice` takes one value of `options`, `choices` a list of them"),
    format: z.enum(["email", "uri", "date", "date-time"]).optional(),
    min: z.number().optional().describe("Least length of a text, value of a number, or number of choices"),
    max: z.number().optional(),
    options: z.array(z.object({ value: z.string(), title: z.string() })).optional(),
    default: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  })
  .meta({ id: "AskedField" });
export type AskedField = z.output<typeof Field>;

export const AskedInput = z
  .object({
    mode: z.enum(["form", "url"]).describe("`url`: the person opens `url`, and accepts once that is done"),
    server: z.string().describe("Name of the MCP server"),
    message: z.string().describe("Foreign text"),
    fields: z.array(Field).optional().describe("Of a form"),
    url: z.string().optional().describe("Foreign address, which nobody has opened"),
    host: z.string().optional().describe("The host of `url`"),
  })
  .meta({
    id: "AskedInput",
    description:
      "What an MCP server asks the task's person for. It is answered with `accept`, `decline` or `cancel`, never with secrets",
  });
export type AskedInput = z.output<typeof AskedInput>;

/** The answers to a form by the names of its fields. */
export type GivenAnswers = Record<string, string | number | boolean | string[]>;
