import net from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createMailer, type SmtpSettings } from "#src/platform/mail/smtp.ts";
import { startSmtpServer, type TestSmtpServer } from "#test/support/smtp-server.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(options?: Parameters<typeof startSmtpServer>[0]): Promise<TestSmtpServer> {
  const server = await startSmtpServer(options);
  closing.push(() => server.close());
  return server;
}

/** A server that does to each connection what it is told, and knows when the last one is gone. */
async function openRaw(handle: (socket: net.Socket) => void) {
  const gone = Promise.withResolvers<void>();
  const server = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.on("close", () => gone.resolve());
    socket.resume();
    handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  return { port: address instanceof Object ? address.port : 0, gone: gone.promise };
}

const mailer = (port: number, settings: Partial<SmtpSettings> = {}) =>
  createMailer({
    host: "127.0.0.1",
    port,
    username: undefined,
    password: undefined,
    sender: "sender@service.test",
    useTls: false,
    ...settings,
  });
const mail = { to: "ann@people.test", subject: "Hällo", text: "Tëxt\n.\n..x\n", html: "<p>Tëxt</p>" };
const login = { username: "user", password: "pä:ss wörd" };

describe("createMailer", () => {
  it("sends both parts, with what they say unchanged, from the sender to one person", async () => {
    const server = await open();
    await mailer(server.port).send(mail);
    expect(server.mails).toMatchObject([
      {
        from: "sender@service.test",
        to: ["ann@people.test"],
        subject: "Hällo",
        text: expect.stringMatching(/^Tëxt\n\.\n\.\.x\n+$/u),
        html: expect.stringContaining("<p>Tëxt</p>"),
        client: "service.test",
        headers: { from: "sender@service.test", to: "ann@people.test", "auto-submitted": "auto-generated" },
      },
    ]);
  });

  it("logs in where the server wants it, and only there", async () => {
    const [wanting, other] = [await open({ login }), await open()];
    await mailer(wanting.port, login).send(mail);
    await mailer(other.port, login).send(mail);
    expect([...wanting.mails, ...other.mails]).toMatchObject([{ user: "user" }, { user: undefined }]);
  });

  it.each([
    ["refused the username or password", { ...login, password: "wrong" }],
    ["refused the mail", {}],
  ])("says that the server %s", async (sentence, credentials) => {
    const server = await open({ login });
    await expect(mailer(server.port, credentials).send(mail)).rejects.toMatchObject({
      code: "unavailable",
      message: `The mail server ${sentence}`,
    });
    expect(server.mails).toEqual([]);
  });

  it("gives neither password nor mail to a server that does not encrypt, when it should", async () => {
    const server = await open({ login });
    const sending = mailer(server.port, { ...login, useTls: true }).send(mail);
    await expect(sending).rejects.toMatchObject({
      code: "unavailable",
      message: "The mail server does not encrypt the connection",
    });
    await expect.poll(() => server.steps).toEqual(["connect", "close"]);
  });

  it("gives neither password nor mail to a server with an untrusted certificate", async () => {
    // The server warns of its own certificate, which is the point here.
    const warning = vi.spyOn(console, "error").mockImplementation(() => {});
    const server = await open({ login, offersTls: true });
    const sending = mailer(server.port, { ...login, useTls: true, host: "localhost" }).send(mail);
    await expect(sending).rejects.toMatchObject({ code: "unavailable" });
    expect(server.steps).not.toContain("login");
    expect(server.steps).not.toContain("mail");
    warning.mockRestore();
  });

  it("names in the cause what the server said, without the addresses", async () => {
    const server = await openRaw((socket) => {
      socket.write("220 mail.test\r\n");
      socket.on("data", (data) => {
        const known = /^(EHLO|MAIL)/u.test(String(data));
        socket.write(known ? "250 fine\r\n" : "550 no such user <ann@people.test>\r\n");
      });
    });
    const error: unknown = await mailer(server.port)
      .send(mail)
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: "unavailable",
      message: "The mail server refused the mail",
      cause: { message: expect.stringContaining("550 no such user <…@people.test>") },
    });
  });

  it.each([
    ["greets and hangs up", (socket: net.Socket) => socket.end("220 mail.test\r\n")],
    ["speaks another language", (socket: net.Socket) => socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["says nothing", () => {}],
    [
      "never finishes its answer",
      (socket: net.Socket) => {
        socket.write("220 mail.test\r\n");
        const timer = setInterval(() => socket.write("250-more\r\n"), 20);
        socket.on("close", () => clearInterval(timer));
      },
    ],
  ])("gives up on a server that %s, and closes", async (_what, handle) => {
    const server = await openRaw(handle);
    const timeouts = { answerMs: 200, totalMs: 400 };
    await expect(mailer(server.port, { timeouts }).send(mail)).rejects.toMatchObject({
      code: "unavailable",
      message: "The mail server did not answer",
    });
    await server.gone;
  });

  it("refuses before it connects what would add a recipient or a header", async () => {
    const server = await open();
    for (const change of [
      { to: "ann@people.test>\r\nRCPT TO:<eve@people.test" },
      { to: "ann@people.test\r\nBcc: eve@people.test" },
      { to: "ann@people.test, eve@people.test" },
      { to: '"eve@people.test" <ann@people.test>' },
      { subject: "Hello\nBcc: eve@people.test" },
    ]) {
      await expect(mailer(server.port).send({ ...mail, ...change })).rejects.toMatchObject({
        code: "invalid_input",
      });
    }
    expect(server.steps).toEqual([]);
  });

  it("probes as far as the login, and sends nothing", async () => {
    const server = await open({ login });
    await mailer(server.port, login).probe();
    await expect.poll(() => server.steps).toEqual(["connect", "login", "close"]);
    await expect(mailer(server.port, { ...login, password: "wrong" }).probe()).rejects.toMatchObject({
      message: "The mail server refused the username or password",
    });
  });

  it.each([{ host: undefined }, { sender: undefined }])("is not configured with %o", async (settings) => {
    const unconfigured = mailer(25, settings);
    expect(unconfigured.configured).toBe(false);
    const refusal = { code: "unavailable", message: "Email is not configured on this installation" };
    await expect(unconfigured.send(mail)).rejects.toMatchObject(refusal);
    await expect(unconfigured.probe()).rejects.toMatchObject(refusal);
  });
});
