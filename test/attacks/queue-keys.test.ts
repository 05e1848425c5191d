import { createHash } from "node:crypto";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

/** Credentials of QStash's development server, which are public. Source: upstash/qstash-js, src/dev-server/constants.ts. */
const PUBLIC_TOKEN = "eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=";
const PUBLIC_KEYS = ["sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r", "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs"];

describe("the public development keys of QStash", () => {
  it.each(PUBLIC_KEYS)("sign no delivery that a started service takes: %s", async (key) => {
    const body = JSON.stringify({ taskId: crypto.randomUUID() });
    const signature = await new SignJWT({ body: createHash("sha256").update(body).digest("base64url") })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer("Upstash")
      .setSubject(`${service.url}/functions/resume-task`)
      .setIssuedAt()
      .setNotBefore(0)
      .setExpirationTime("5m")
      .sign(new TextEncoder().encode(key));
    const headers = { "content-type": "application/json", "upstash-signature": signature };
    expect(await service.call("POST", "/functions/resume-task", { body, headers })).toMatchObject({
      status: 401,
      body: { detail: "Invalid queue signature" },
    });
  });

  it("publish nothing to the queue of a started service", async () => {
    const answer = await fetch(`${service.stack.variables["QSTASH_URL"]}/v2/dlq?count=1`, {
      headers: { authorization: `Bearer ${PUBLIC_TOKEN}` },
    });
    expect(answer.status).toBe(401);
  });
});
