import type { Deployment } from "../generated/types.gen.ts";
import type { Request } from "../http/request.ts";
import type { Body, CallOptions, Query } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import { trusted } from "../json.ts";
import { eventStream, type StreamOptions } from "../streams/event-stream.ts";
import { byOffset } from "./pages.ts";

/**
 * A line of a deployment's log, a change of its state, or its end, whose number follows that of the last line. `id` is the
 * number of the event; a change of state has that of the line before it.
 */
export type DeploymentEvent =
  | { id: number; type: "log"; line: number; text: string }
  | { id: number; type: "status" | "done"; status: string; [field: string]: unknown };

/** Publications of projects at hosting providers. */
export function deployments(request: Request, transport: Transport) {
  return {
    /** Publishes a project. Repeated attempts publish it once, by an idempotency key, as in `tasks.invoke`. */
    create: (
      body: Body<"POST /api/deployments">,
      { idempotencyKey = crypto.randomUUID(), ...options }: CallOptions & { idempotencyKey?: string } = {},
    ) => request("POST", "/api/deployments", { ...options, body, idempotencyKey }),
    list: (query?: Query<"GET /api/deployments">, options?: CallOptions) =>
      request("GET", "/api/deployments", { ...options, query }),
    /** Iterates over all deployments, newest first. */
    all: (query?: Omit<Query<"GET /api/deployments">, "limit" | "offset">, options?: CallOptions) =>
      byOffset<Deployment>(transport, { ...options, template: "/api/deployments", query }),
    get: (deployment: string, options?: CallOptions) =>
      request("GET", "/api/deployments/{deployment}", { ...options, path: { deployment } }),
    logs: (deployment: string, options?: CallOptions) =>
      request("GET", "/api/deployments/{deployment}/logs", { ...options, path: { deployment } }),
    /** Its log, from the first line or from after a line, with each change of its state, to `done`. */
    async *events(
      deployment: string,
      options: StreamOptions = {},
    ): AsyncGenerator<DeploymentEvent, void, undefined> {
      const source = {
        template: "/api/deployments/{deployment}/stream",
        path: { deployment },
        isByHeader: true,
        isUnnumbered: (type: unknown) => type === "status",
      };
      for await (const { id, data } of eventStream(transport, source, options)) {
        yield trusted<DeploymentEvent>({ ...data, id });
      }
    },
    cancel: (deployment: string, options?: CallOptions) =>
      request("POST", "/api/deployments/{deployment}/cancel", { ...options, path: { deployment } }),
    redeploy: (deployment: string, options?: CallOptions) =>
      request("POST", "/api/deployments/{deployment}/redeploy", { ...options, path: { deployment } }),
    /** Takes the site down. */
    delete: (deployment: string, options?: CallOptions) =>
      request("DELETE", "/api/deployments/{deployment}", { ...options, path: { deployment } }),
  };
}
