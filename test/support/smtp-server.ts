import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server";
import { vi } from "vitest";

export interface ReceivedMail {
  from: string;
  /** Of the envelope. */
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** By name in lower case. */
  headers: Record<string, string>;
  /** Who logged in to send it. */
  user: string | undefined;
  /** What the client called itself. */
  client: string;
}

export type TestSmtpServer = Awaited<ReturnType<typeof startSmtpServer>>;

/** A mail server for tests. With `login`, mail is taken from that user alone; without `offersTls` it cannot encrypt. */
export async function startSmtpServer(
  options: { login?: { username: string; password: string }; offersTls?: boolean } = {},
) {
  const { login, offersTls = false } = options;
  const mails: ReceivedMail[] = [];
  const steps: string[] = [];
  let refusals = { times: 0, code: 0 };
  let hangUps = 0;
  let port = 0;
  let server: SMTPServer | undefined;

  const handlers: SMTPServerOptions = {
    disabledCommands: [...(login ? [] : ["AUTH"]), ...(offersTls ? [] : ["STARTTLS"])],
    authOptional: !login,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect: (_session, answer) => {
      steps.push("connect");
      answer();
    },
    onAuth: ({ username, password }, _session, answer) => {
      steps.push("login");
      const right = username === login?.username && password === login?.password;
      answer(right ? null : new Error("Wrong username or password"), { user: username });
    },
    onMailFrom: (_address, _session, answer) => {
      steps.push("mail");
      if (refusals.times === 0) return answer();
      refusals.times -= 1;
      answer(Object.assign(new Error("Not now"), { responseCode: refusals.code }));
    },
    onData: (stream, session, answer) => {
      const taken = async () => {
        mails.push(await read(await buffer(stream), session));
        answer();
      };
      // A client that is killed leaves half a mail.
      taken().catch((cause: Error) => answer(cause));
    },
    onClose: () => void steps.push("close"),
  };

  async function up(): Promise<void> {
    const started = new SMTPServer(handlers);
    started.on("error", () => {});
    started.server.prependListener("connection", (socket: Socket) => {
      if (hangUps === 0) return;
      hangUps -= 1;
      socket.end("220 mail.test\r\n");
    });
    await new Promise<void>((resolve) => started.listen(port, "127.0.0.1", resolve));
    const address = started.server.address();
    port = address instanceof Object ? address.port : port;
    server = started;
  }
  const down = () =>
    new Promise<void>((resolve) => {
      server?.close(() => resolve());
    });

  await up();
  return {
    port,
    /** What a service is started with so that its mail comes here. */
    variables: {
      SMTP_HOST: "127.0.0.1",
      SMTP_PORT: String(port),
      SMTP_SENDER_EMAIL: "sender@service.test",
      SMTP_USE_TLS: String(offersTls),
      ...(login && { SMTP_USERNAME: login.username, SMTP_PASSWORD: login.password }),
    },
    /** What came so far, in order. */
    mails,
    /** What clients did, one word a step: `connect`, `login`, `mail`, `close`. */
    steps,
    /** Resolves with the first mail to an address. */
    mailTo: (address: string) =>
      vi.waitUntil(() => mails.find(({ to }) => to.includes(address)), { interval: 50 }),
    /** Answer the next mails with a code: 4xx passes, 5xx does not. */
    refuse: (times: number, code: number) => void (refusals = { times, code }),
    /** Greet the next clients and hang up. */
    hangUp: (times: number) => void (hangUps = times),
    /** Not listening, as between `down` and `up`. */
    down,
    up,
    close: down,
  };
}

async function read(raw: Buffer, session: SMTPServerSession): Promise<ReceivedMail> {
  const { subject = "", text = "", html = "", headers } = await PostalMime.parse(raw);
  const { mailFrom, rcptTo } = session.envelope;
  return {
    from: mailFrom ? mailFrom.address : "",
    to: rcptTo.map(({ address }) => address),
    subject,
    text,
    html,
    headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
    user: session.user,
    client: session.hostNameAppearsAs,
  };
}
