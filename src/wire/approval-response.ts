import { z } from "zod";
import { JsonObject } from "#src/http/schemas.ts";

/** How a person answers a question of the agent. */
export const ApprovalResponse = z
  .enum(["allow_once", "allow_all", "stop", "accept", "decline", "cancel"])
  .describe(
    "`accept`, `decline` and `cancel` answer what an MCP server asks; the others whether a call may run",
  );

/** The answers to a form of a server. */
export const AnswerContent = JsonObject.nullish().describe(
  "With `accept`: the answers to the fields of `input`, by their names",
);
