import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { startMail } from "#stand-ins/mail/index.ts";
import { createMailer } from "#src/platform/mail/smtp.ts";

const lines: string[] = [];
const catcher = await startMail({ log: (line) => void lines.push(line) });
beforeEach(() => {
  lines.length = 0;
});
afterAll(() => catcher.close());

const list = async (query = ""): Promise<unknown> => (await fetch(`${catcher.url}/${query}`)).json();
const send = (to: string, text = "text") =>
  createMailer({
    host: "127.0.0.1",
    port: catcher.port,
    username: "not",
    password: "asked for",
    sender: "sender@service.test",
    useTls: false,
  }).send({ to, subject: "Hällo", text, html: `<p>${text}</p>` });

describe("the mail catcher", () => {
  it("shows what came in, all of it or by address, and writes it down for a person", async () => {
    await send("ann@people.test", "Your code:\n\n123456");
    await send("bob@people.test");
    expect(await list()).toMatchObject([
      {
        from: "sender@service.test",
        to: ["ann@people.test"],
        subject: "Hällo",
        text: expect.stringContaining("123456"),
      },
      { to: ["bob@people.test"] },
    ]);
    expect(await list("?to=Bob@people.test")).toMatchObject([{ to: ["bob@people.test"] }]);
    expect(await list("?to=eve@people.test")).toEqual([]);
    expect(lines[0]).toContain("from sender@service.test to ann@people.test: Hällo");
    expect(lines[0]?.split("\n")).toContain("    123456");
  });

  it("lets no mail command the terminal", async () => {
    await send("ann@people.test", "\u001B[2Jgone\u0007");
    expect(lines.join("")).toContain("[2Jgone");
    expect(lines.join("")).not.toMatch(/[^\P{Cc}\n]/u);
  });
});
