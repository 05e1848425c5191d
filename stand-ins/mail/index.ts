import { buffer } from "node:stream/consumers";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { serve } from "#local/serve.ts";

/** A mail as received. */
export interface CaughtMail {
  from: string;
  /** Recipients of the envelope. */
  to: string[];
  subject: string;
  text: string;
  html: string;
  /** ISO 8601. */
  receivedAt: string;
}

const KEPT = 100;
const MAX_BYTES = 1024 * 1024;

/**
 * A mail server that accepts every mail and delivers none, so that codes and links can be read without a real one. Each
 * mail is written to `log` and stored (the last hundred, in memory). `GET /` on `url` lists all as JSON, oldest first;
 * `GET /?to=<address>` those to one address.
 */
export async function startMail(options: {
  log: (line: string) => void;
  /** Port of the HTTP address. */
  preferredPort?: number;
}): Promise<{ url: string; port: number; close: () => Promise<void> }> {
  const caught: CaughtMail[] = [];
  const smtp = await startSmtp((mail) => {
    caught.push(mail);
    if (caught.length > KEPT) caught.shift();
    options.log(describe(mail));
  });
  const { preferredPort } = options;
  const http = await serve(
    (request, response) => {
      const { searchParams } = new URL(request.url ?? "/", "http://localhost");
      const wanted = searchParams.get("to")?.toLowerCase();
      const shown = caught.filter(({ to }) => !wanted || to.some((each) => each.toLowerCase() === wanted));
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(shown, null, 2));
    },
    preferredPort === undefined ? {} : { preferredPort },
  );
  return {
    url: http.url,
    port: smtp.port,
    close: async () => {
      await Promise.all([http.close(), smtp.close()]);
    },
  };
}

async function startSmtp(
  take: (mail: CaughtMail) => void,
): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    authOptional: true,
    disableReverseLookup: true,
    size: MAX_BYTES,
    // Connections of an ended Worker do not delay the close.
    closeTimeout: 100,
    onData: (stream, { envelope }, answer) => {
      void (async () => {
        try {
          take(await readMail(await buffer(stream), envelope));
          answer();
        } catch (error) {
          answer(error instanceof Error ? error : new Error("Not a mail"));
        }
      })();
    },
  });
  // A client that disconnects early affects only its own connection.
  server.on("error", () => {});
  await new Promise<void>((resolve, reject) => {
    server.server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("The mail server has no port");
  return {
    port: address.port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

type Envelope = Parameters<NonNullable<SMTPServer["options"]["onData"]>>[1]["envelope"];

async function readMail(raw: Buffer, envelope: Envelope): Promise<CaughtMail> {
  const { subject = "", text = "", html = "" } = await PostalMime.parse(raw);
  return {
    from: envelope.mailFrom ? envelope.mailFrom.address : "",
    to: envelope.rcptTo.map(({ address }) => address),
    subject,
    text,
    html,
    receivedAt: new Date().toISOString(),
  };
}

function describe({ from, to, subject, text }: CaughtMail): string {
  const body = text.trimEnd().replaceAll(/^/gmu, "    ");
  const lines = `\n  Mail from ${from} to ${to.join(", ")}: ${subject}\n\n${body}\n`;
  // Removes control characters, so that a mail cannot control the terminal.
  return lines.replaceAll(/[^\P{Cc}\n\t]/gu, "");
}
