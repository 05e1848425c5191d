import { z } from "zod";
import { patientMcpClient } from "#test/support/patient-mcp.ts";
import { callAll } from "./call-all.ts";
import { newSignIn } from "./sign-in.ts";

/*
 * The client as the conformance suite runs it: a program that is given a server's address. It lists the tools and calls them, those
 * that the scenario names with its arguments, and signs in where the server wants that.
 */

const Context = z.looseObject({
  toolCalls: z
    .array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }))
    .optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
});

/** Most visits to the authorization server. A person would give up before. */
const MOST_VISITS = 3;

const url = process.argv.at(-1) ?? "";
const text = process.env["MCP_CONFORMANCE_CONTEXT"];
const context = Context.safeParse(text === undefined ? {} : JSON.parse(text)).data;

const client = patientMcpClient();
const signIn = newSignIn(url, context ?? {});
for (let visits = 0; ; visits += 1) {
  const challenge = await callAll(client, { url, tokens: signIn.tokens() }, context?.toolCalls);
  if (!challenge || visits === MOST_VISITS) break;
  await signIn.visit(challenge);
}
