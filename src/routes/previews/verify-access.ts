import { z } from "zod";
import { parsePreviewHost } from "#src/domain/workspaces/containers/index.ts";
import { openPreview } from "#src/domain/workspaces/previews/index.ts";
import type { Caller } from "#src/domain/access/permissions/index.ts";
import { endpoint } from "#src/http/endpoint.ts";
import { AppError } from "#src/lib/errors.ts";
import type { Services } from "#src/services.ts";
import { callerOfHeader, personOfCookie } from "./visitor.ts";

export const verifyAccess = endpoint({
  operationId: "verifyPreviewAccess",
  method: "get",
  path: "/api/auth/verify-access",
  summary: "Verify preview access",
  description: "For proxies: whether the caller may see the preview at `X-Forwarded-Host`.",
  tag: "Previews",
  // Public, so that every refusal is the same 401.
  access: "public",
  refusals: [401],
  response: { status: 204, schema: z.null(), description: "Access is allowed; every refusal is a 401" },
  async handler({ services, request }) {
    const caller = (await callerOfHeader(services, request)) ?? (await personOfCookie(services, request));
    const expected = request.headers.get("x-expected-user-id");
    const host = request.headers.get("x-forwarded-host");
    const isNamed = expected !== null || host !== null;
    const isExpected = expected === null || expected === caller?.userId;
    const isAdmitted = isNamed && isExpected && (host === null || (await maySee(services, host, caller)));
    if (!caller || !isAdmitted) throw new AppError("unauthenticated", "Unauthorized");
    return null;
  },
});

async function maySee(services: Services, host: string, caller: Caller | undefined): Promise<boolean> {
  const address = parsePreviewHost(host, services.config.APP_DOMAIN);
  if (!address) return false;
  try {
    return (await openPreview(services, address, caller && { kind: "caller", caller })) !== undefined;
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return false;
    throw error;
  }
}
