import { vi } from "vitest";
import type { ApiClient } from "./api-client.ts";
import { openSocket, type Frame, type TestSocket } from "./socket.ts";

export const COMMAND_LINE = "/api/gateway/cli";

/** A command-line client of a key; `query` as `last_id` and `project_id`. */
export async function openCommandLine(
  { url }: Pick<ApiClient, "url">,
  key: string,
  query: Readonly<Record<string, string>> = {},
): Promise<CommandLineClient> {
  const socket = await openSocket(url, `${COMMAND_LINE}?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await socket.next("status");
  return {
    ...socket,
    say(text, clientId = crypto.randomUUID()) {
      socket.send({ type: "message", text, client_id: clientId });
      return clientId;
    },
    answerTo: (clientId) =>
      vi.waitFor(
        () => {
          const answer = socket.frames.find(
            ({ type, reply_to }) => type === "message" && reply_to === clientId,
          );
          if (!answer) throw new Error(`No answer, but ${JSON.stringify(socket.frames.slice(-5))}`);
          return answer;
        },
        { interval: 20 },
      ),
  };
}

export interface CommandLineClient extends TestSocket {
  /** Send a message. Returns its `client_id`. */
  say(text: string, clientId?: string): string;
  /** The agent's answer to a message. */
  answerTo(clientId: string): Promise<Frame>;
}
