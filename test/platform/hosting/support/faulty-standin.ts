import type http from "node:http";
import { buffer } from "node:stream/consumers";
import { serve } from "#local/serve.ts";
import { startTestHosting } from "#test/stand-ins/support/hosting.ts";
import { passOn } from "#test/support/pass-on.ts";

/** What a call gets instead of its answer. */
export type Fault =
  | { kind: "status"; status: number; retryAfter?: string; body?: string }
  /** An answer that is none, once the work is done; so with a connection that ends. */
  | { kind: "garbage" }
  | { kind: "reset" }
  | { kind: "slow" }
  | { kind: "redirect" }
  | { kind: "huge" };

export interface SeenCall {
  /** As `GET /vercel/v2/user`, without its query. */
  call: string;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

/** The stand-in of `npm start` behind a relay that fails, as its own controls cannot, the calls that a test numbers. */
export interface FaultyStandin {
  url: string;
  /** Since the last `reset`. */
  calls: readonly SeenCall[];
  /** Does it to the call with this number, counted from the last `reset`; -1 is every call. */
  fail(call: number, fault: Fault): void;
  /** Heals, and begins to count anew. */
  reset(): void;
  /** Names of the sites. */
  sites(): Promise<string[]>;
  /** How many deployments the site of this name has. */
  deployments(site: string): Promise<number>;
  /** What people see. */
  see(site: string, path: string): Promise<string>;
  close(): Promise<void>;
}

export async function startFaultyStandin(): Promise<FaultyStandin> {
  const standin = await startTestHosting({ queued: 0, building: 0 });
  const calls: SeenCall[] = [];
  let plan: { call: number; fault: Fault } | undefined;
  const relay = await serve(async (incoming, response) => {
    const { method = "GET", url = "/", headers } = incoming;
    const body = await buffer(incoming);
    const fault = plan && [-1, calls.length].includes(plan.call) ? plan.fault : undefined;
    calls.push({ call: `${method} ${url.split("?")[0]}`, headers, body });
    if (fault && fault.kind !== "reset" && fault.kind !== "garbage") return refuse(response, fault);
    const answer = await passOn(new URL(standin.url), incoming, body);
    const said = (await buffer(answer)).toString("utf8");
    if (fault?.kind === "reset") response.destroy();
    else if (fault) response.writeHead(200).end("<html>");
    else {
      const type = answer.headers["content-type"];
      response.writeHead(answer.statusCode ?? 0, type === undefined ? {} : { "content-type": type });
      // Addresses that the stand-in gives out lead through the relay, too.
      response.end(said.replaceAll(standin.url, relay.url));
    }
  });
  const list = <T>(name: string) => standin.json<T[]>(`/_standin/${name}`, { token: null });
  const sites = () => list<{ id: string; name: string }>("sites");
  return {
    url: relay.url,
    calls,
    fail(call, fault) {
      plan = { call, fault };
    },
    reset() {
      plan = undefined;
      calls.length = 0;
    },
    sites: async () => (await sites()).map(({ name }) => name),
    async deployments(site) {
      const id = (await sites()).find(({ name }) => name === site)?.id;
      return (await list<{ site: string }>("deployments")).filter((each) => each.site === id).length;
    },
    see: async (site, path) => (await standin.visit(site, path)).body,
    async close() {
      await relay.close();
      await standin.close();
    },
  };
}

function refuse(response: http.ServerResponse, fault: Exclude<Fault, { kind: "reset" | "garbage" }>): void {
  switch (fault.kind) {
    case "status": {
      const { status, retryAfter, body = '{"message":"because of the test"}' } = fault;
      response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end(body);
      return;
    }
    case "redirect":
      response.writeHead(307, { location: "/elsewhere" }).end();
      return;
    case "huge":
      response.writeHead(200).end(`{"a":"${"x".repeat(5 * 1024 * 1024)}"}`);
      return;
    case "slow":
  }
}
