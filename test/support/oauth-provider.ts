import type { IncomingMessage, ServerResponse } from "node:http";
import { serve } from "#local/serve.ts";

/** The service as both providers know it. */
export const REGISTERED = {
  clientId: "client-of-the-service",
  clientSecret: "a-client-secret-of-the-service",
};

export const JSON_TYPE = { "content-type": "application/json" };

const BEHAVIOUR = {
  "answers 500": (response) => void response.writeHead(500).end("out of order"),
  "answers garbage": (response) => void response.writeHead(200, JSON_TYPE).end("<html>"),
  "answers an empty object": (response) => void response.writeHead(200, JSON_TYPE).end("{}"),
  "sends 2 MiB": (response) =>
    void response.writeHead(200, JSON_TYPE).end(`{"a":"${"x".repeat(2 * 1024 * 1024)}"}`),
  "sends to another place": (response) => void response.writeHead(307, { location: "/elsewhere" }).end(),
  "breaks off": (response) => void response.destroy(),
  "never answers": () => {},
} as const satisfies Record<string, (response: ServerResponse) => void>;

/** What a provider may do instead of answering. */
export type Fault = keyof typeof BEHAVIOUR;

export const FAULTS: readonly Fault[] = [
  "answers 500",
  "answers garbage",
  "answers an empty object",
  "sends 2 MiB",
  "sends to another place",
  "breaks off",
  "never answers",
];

/** A provider that runs, and what it saw and does. */
export interface ProviderServer {
  url: string;
  /** Requests so far, as `POST /token`. */
  requests: string[];
  /** From now on, until `heal`, to the requests whose path matches. */
  fail(path: RegExp, fault: Fault): void;
  heal(): void;
  close(): Promise<void>;
}

/** Serves a provider, notes what it is asked, and fails where it is told to. */
export async function serveProvider(
  handle: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | void,
): Promise<ProviderServer> {
  const requests: string[] = [];
  let plan: { path: RegExp; fault: Fault } | undefined;
  const { url, close } = await serve(async (request, response) => {
    const asked = new URL(request.url ?? "/", "http://provider");
    requests.push(`${request.method} ${asked.pathname}`);
    if (plan?.path.test(asked.pathname)) BEHAVIOUR[plan.fault](response);
    else await handle(request, response, asked);
  });
  return {
    url,
    requests,
    fail(path, fault) {
      plan = { path, fault };
    },
    heal() {
      plan = undefined;
    },
    close,
  };
}

/** The page of a provider, where the person agrees: where it sends the browser back to. */
export async function agree(authorizationUrl: string): Promise<URL> {
  const answer = await fetch(authorizationUrl, { redirect: "manual" });
  const location = answer.headers.get("location");
  if (location === null) throw new Error(`The provider answered ${answer.status}: ${await answer.text()}`);
  return new URL(location);
}
