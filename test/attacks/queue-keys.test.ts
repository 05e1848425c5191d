import { createHash } from "node:crypto";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { functions } from "#functions/index.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();

/** Credentials of QStash's development server, which are public. Source: upstash/qstash-js, src/dev-server/constants.ts. */
const PUBLIC_TOKEN = "eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0=";
const PUBLIC_KEYS = ["sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r", "sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs"] as const;

const body = JSON.stringify({ taskId: crypto.randomUUID() });
const variable = (name: string) => service.stack.variables[name] ?? "";
const url = (name = "resume-task") => `${service.url}/functions/${name}`;

interface Signature {
  key?: string;
  subject?: string;
  text?: string;
  issuer?: string;
  expires?: string | number;
}

function sign({
  key = variable("QSTASH_CURRENT_SIGNING_KEY"),
  subject = url(),
  text = body,
  issuer = "Upstash",
  expires = "5m",
}: Signature) {
  return new SignJWT({ body: createHash("sha256").update(text).digest("base64url") })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(issuer)
    .setSubject(subject)
    .setIssuedAt()
    .setNotBefore(0)
    .setExpirationTime(expires)
    .sign(new TextEncoder().encode(key));
}

const deliver = (signature: string | undefined, text = body, name = "resume-task") =>
  service.call("POST", `/functions/${name}`, {
    body: text,
    headers: {
      "content-type": "application/json",
      ...(signature !== undefined && { "upstash-signature": signature }),
    },
  });

const REFUSED = { status: 401, body: { detail: "Invalid queue signature" } };

describe("a delivery of the queue", () => {
  it("is taken when it is signed with either key", async () => {
    for (const name of ["QSTASH_CURRENT_SIGNING_KEY", "QSTASH_NEXT_SIGNING_KEY"]) {
      expect((await deliver(await sign({ key: variable(name) }))).status).not.toBe(401);
    }
  });

  it.each([
    ["is signed with nothing", async () => ""],
    ["is signed with garbage", async () => "a.b.c"],
    ["is signed with another key", () => sign({ key: "sig_another" })],
    ["is signed with a public development key", () => sign({ key: PUBLIC_KEYS[0] })],
    ["is signed with the next public development key", () => sign({ key: PUBLIC_KEYS[1] })],
    [
      "was signed for another service",
      () => sign({ subject: "https://other.example/functions/resume-task" }),
    ],
    ["was signed by another issuer", () => sign({ issuer: "Somebody" })],
    ["was signed long ago", () => sign({ expires: Math.floor(Date.now() / 1000) - 60 })],
    ["was signed over another body", () => sign({ text: `${body} ` })],
    ["carries an access token in its stead", async () => (await service.signUp()).token],
  ])("is refused when it %s", async (_, signatureOf) => {
    expect(await deliver(await signatureOf())).toMatchObject(REFUSED);
  });

  it("needs a signature for its own function, whichever it is", async () => {
    const called = new Set(functions.routes.map(({ path }) => path.slice(1)));
    expect([...called]).toEqual(expect.arrayContaining(["tick-schedules", "deliver-callback"]));
    for (const name of called) {
      expect([name, await deliver(undefined, "{}", name)]).toMatchObject([name, REFUSED]);
      expect(await deliver(await sign({ subject: url("other") }), body, name)).toMatchObject(REFUSED);
    }
  });
});

it("the public development token of QStash publishes nothing to the queue of a started service", async () => {
  const answer = await fetch(`${variable("QSTASH_URL")}/v2/dlq?count=1`, {
    headers: { authorization: `Bearer ${PUBLIC_TOKEN}` },
  });
  expect(answer.status).toBe(401);
});
