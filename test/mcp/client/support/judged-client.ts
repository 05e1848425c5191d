import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { patientMcpClient } from "#test/support/patient-mcp.ts";
import { callAll } from "./call-all.ts";
import { newSignIn } from "./sign-in.ts";

const Scenario = z.object({
  url: z.string(),
  context: z.looseObject({
    toolCalls: z
      .array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }))
      .optional(),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
  }),
});

/** Most visits to the authorization server. A person would give up before. */
const MOST_VISITS = 3;

/**
 * The client as the conformance suite runs it, behind an address that bridge.ts calls for each scenario. It lists the tools of the
 * scenario's server and calls them, those that the scenario names with its arguments, and signs in where the server wants that.
 */
export async function startJudgedClient(): Promise<{ address: string; close: () => void }> {
  const server = createServer((request, response) => {
    text(request)
      .then((body) => run(Scenario.parse(JSON.parse(body))))
      .then((failures) => response.end(failures.join("\n")))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  return {
    address: `http://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns what went wrong at tools, for the suite's report. Throws when the client gives up. */
async function run({ url, context }: z.infer<typeof Scenario>): Promise<string[]> {
  const failures: string[] = [];
  const client = patientMcpClient();
  const signIn = newSignIn(url, context);
  for (let visits = 0; ; visits += 1) {
    const challenge = await callAll(
      client,
      { url, tokens: signIn.tokens() },
      { wanted: context.toolCalls, failures },
    );
    if (!challenge || visits === MOST_VISITS) return failures;
    await signIn.visit(challenge);
  }
}
