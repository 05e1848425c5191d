import type { Socket } from "node:net";
import type SMTPConnection from "nodemailer/lib/smtp-connection";
import { z } from "zod";
import { AppError } from "#src/lib/errors.ts";
import { checkMail, noMailer, type Mail, type Mailer } from "./mailer.ts";

export interface SmtpSettings {
  /** Without a host or a sender no mail is sent. */
  host: string | undefined;
  port: number;
  username: string | undefined;
  password: string | undefined;
  /** The sender's address. */
  sender: string | undefined;
  /** Whether STARTTLS is required; on port 465 the connection is encrypted from its first byte in any case. */
  useTls: boolean;
  /** Shorter timeouts are for tests. */
  timeouts?: Timeouts;
}

interface Timeouts {
  /** For the connection, and for each response. */
  answerMs: number;
  /** For the whole conversation, so that a server that always responds just in time cannot hold it for ever. */
  totalMs: number;
}

const TIMEOUTS: Timeouts = { answerMs: 10_000, totalMs: 30_000 };

const IMPLICIT_TLS_PORT = 465;

type Server = SmtpSettings & { host: string; sender: string };

/**
 * Sends mail over SMTP, one connection for each mail. With `useTls`, a server without STARTTLS gets neither the
 * password nor the mail. Runs in workerd and in Node; Cloudflare blocks port 25.
 */
export function createMailer(settings: SmtpSettings): Mailer {
  const { host, sender } = settings;
  if (!host || !sender) return noMailer;
  const server: Server = { ...settings, host, sender };
  return {
    configured: true,
    async send(mail) {
      checkMail(mail);
      const message = await compose(server, mail);
      await converse(server, (connection) =>
        called((done) => connection.send({ from: sender, to: mail.to }, message, done)),
      );
    },
    probe: () => converse(server, async () => {}),
  };
}

async function compose({ sender }: Server, { to, subject, text, html }: Mail): Promise<Buffer> {
  const { default: MailComposer } = await import("nodemailer/lib/mail-composer");
  const composer = new MailComposer({
    from: { name: "", address: sender },
    to: { name: "", address: to },
    subject,
    text,
    html,
    // RFC 3834: suppresses automatic out-of-office replies.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().build();
}

/** Connects, greets, encrypts, authenticates, calls `work`, and always closes. Throws `unavailable`. */
async function converse(server: Server, work: (connection: SMTPConnection) => Promise<void>): Promise<void> {
  const { answerMs, totalMs } = server.timeouts ?? TIMEOUTS;
  const [{ default: Connection }, open] = await Promise.all([
    import("nodemailer/lib/smtp-connection"),
    opener(server),
  ]);
  const failed = Promise.withResolvers<never>();
  const failAfter = (ms: number, problem: string) => setTimeout(() => failed.reject(new Error(problem)), ms);
  const deadline = failAfter(totalMs, "The conversation took too long");
  const connecting = failAfter(answerMs, "There was no connection in time");
  const socket = open();
  socket.on("error", failed.reject);
  let connection: SMTPConnection | undefined;
  try {
    const ready = isSecure(server) ? "secureConnect" : "connect";
    await Promise.race([failed.promise, new Promise((resolve) => socket.once(ready, resolve))]);
    clearTimeout(connecting);
    const greeted = new Connection(optionsOf(server, socket, answerMs));
    connection = greeted;
    greeted.on("error", failed.reject);
    greeted.once("end", () => failed.reject(new Error("The server closed the connection")));
    await Promise.race([failed.promise, logIn(greeted, server).then(() => work(greeted))]);
  } catch (error) {
    throw failure(error);
  } finally {
    clearTimeout(deadline);
    clearTimeout(connecting);
    connection?.close();
    socket.destroy();
  }
}

/** The library would resolve the name with a public resolver; the platform also knows local names. */
async function opener(server: Server): Promise<() => Socket> {
  const address = { host: server.host, port: server.port };
  if (isSecure(server)) {
    const { connect } = await import("node:tls");
    return () => connect(address);
  }
  const { connect } = await import("node:net");
  return () => connect(address);
}

const isSecure = (server: Server): boolean => server.port === IMPLICIT_TLS_PORT;

function optionsOf(server: Server, connection: Socket, answerMs: number): SMTPConnection.Options {
  const secure = isSecure(server);
  return {
    host: server.host,
    port: server.port,
    connection,
    secure,
    secured: secure,
    requireTLS: server.useTls && !secure,
    ignoreTLS: !server.useTls,
    // Relays check the client name of the greeting; the sender's domain exists.
    name: server.sender.split("@").at(-1),
    connectionTimeout: answerMs,
    greetingTimeout: answerMs,
    socketTimeout: answerMs,
    socketCloseTimeout: 0,
    logger: false,
  };
}

async function logIn(connection: SMTPConnection, { username, password }: Server): Promise<void> {
  await called((done) => connection.connect(done));
  if (username && password && connection.allowsAuth)
    await called((done) => connection.login({ user: username, pass: password }, done));
}

function called(start: (done: (error?: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
}

/** Sentences by the library's error code; any other code means that the conversation failed. */
const SENTENCES: Readonly<Record<string, string>> = {
  EAUTH: "The mail server refused the username or password",
  ETLS: "The mail server does not encrypt the connection",
  EENVELOPE: "The mail server refused the mail",
  EMESSAGE: "The mail server refused the mail",
};

const Caught = z
  .object({ message: z.string().catch(""), code: z.string().catch("") })
  .catch({ message: "", code: "" });

/** The cause is logged without addresses, because servers repeat addresses in their responses. */
function failure(error: unknown): AppError {
  const { code, message } = Caught.parse(error);
  const cause = new Error(message.replaceAll(/[^\s<>@]+@/gu, "…@"));
  return new AppError("unavailable", SENTENCES[code] ?? "The mail server did not answer", { cause });
}
