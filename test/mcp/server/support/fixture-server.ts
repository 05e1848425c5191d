import type { McpServer } from "@modelcontextprotocol/server";
import { completable, ResourceTemplate, McpServer as Server } from "@modelcontextprotocol/server";
import { z } from "zod";
import { areAnswered, ask, offerFixtureTools, PIXEL, question, states } from "./fixture-tools.ts";

const message = (text: string) => ({ role: "user" as const, content: { type: "text" as const, text } });

/** A server with all that the scenarios of the conformance suite ask for. */
export function fixtureServer(): McpServer {
  const server = new Server(
    { name: "fixture", version: "1" },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      requestState: { verify: (state, context) => states.verify(state, context) },
    },
  );
  offerFixtureTools(server);
  offerResources(server);
  offerPrompts(server);
  return server;
}

function offerResources(server: McpServer): void {
  const text = {
    uri: "test://static-text",
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  };
  const binary = { uri: "test://static-binary", mimeType: "image/png", blob: PIXEL };
  for (const content of [text, binary]) {
    const { uri, mimeType } = content;
    server.registerResource(uri, uri, { description: "Static", mimeType }, () => ({ contents: [content] }));
  }
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "By id", mimeType: "application/json" },
    ({ href: uri }, { id }) => ({
      contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) }],
    }),
  );
}

const word = () =>
  completable(z.string(), (value) => ["paris", "park", "party"].filter((each) => each.startsWith(value)));

function offerPrompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", { description: "Simple" }, () => ({
    messages: [message("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "With arguments", argsSchema: z.object({ arg1: word(), arg2: word() }) },
    ({ arg1, arg2 }) => ({
      messages: [message(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
    }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "With a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => {
      const resource = { uri, mimeType: "text/plain", text: "Embedded resource content for testing." };
      return { messages: [{ role: "user", content: { type: "resource", resource } }, message("Read it")] };
    },
  );
  server.registerPrompt("test_prompt_with_image", { description: "With a picture" }, () => ({
    messages: [
      { role: "user", content: { type: "image", data: PIXEL, mimeType: "image/png" } },
      message("Look at it"),
    ],
  }));
  server.registerPrompt("test_input_required_result_prompt", { description: "Asks first" }, (context) => {
    const wanted = { user_context: question("What context should the prompt use?", "context") };
    return areAnswered(context, wanted) ? { messages: [message("With the context")] } : ask(wanted);
  });
}
