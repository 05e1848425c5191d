import { expect, vi } from "vitest";
import type { Account, ApiAnswer } from "./api-client.ts";
import { WAIT_HANGS_MS } from "./hangs.ts";
import type { SharedService } from "./shared-service.ts";

/** What a person does in the billing of their active team. */
export interface BillingClient {
  /** Below `/api/billing/`. */
  call: <T = Record<string, unknown>>(method: string, path: string, json?: unknown) => Promise<ApiAnswer<T>>;
  /** Opens the page on which something is paid. */
  open: (path: string, json?: object) => Promise<{ sessionId: string; url: string }>;
  /** Waits until `GET subscription` has these fields, by the provider's events alone, and returns all of them. */
  becomes: (fields: Record<string, unknown>) => Promise<Record<string, unknown>>;
}

/** Events come by themselves; a busy machine takes its time. */
export const PATIENCE = { timeout: WAIT_HANGS_MS, interval: 250 } as const;

export function billingClient(service: Pick<SharedService, "call">, { token }: Account): BillingClient {
  const call: BillingClient["call"] = (method, path, json) =>
    service.call(method, `/api/billing/${path}`, { token, ...(json !== undefined && { json }) });
  return {
    call,
    async open(path, json = {}) {
      const { status, text, body } = await call<{ session_id: string; url: string }>("POST", path, json);
      if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
      return { sessionId: body.session_id, url: body.url };
    },
    becomes: (fields) =>
      vi.waitFor(async () => {
        const { body } = await call("GET", "subscription");
        expect(body).toMatchObject(fields);
        return body;
      }, PATIENCE),
  };
}
