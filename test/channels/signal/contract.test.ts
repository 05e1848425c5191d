import { adapters } from "#src/channels/index.ts";
import { startSignalBridge } from "#test/support/platforms/signal.ts";
import { apiContract } from "../api-contract.ts";
import { dm, environmentOf } from "../environment.ts";
import { mediaAt, troubles } from "../platform-under-test.ts";

apiContract({
  label: "Signal",
  render: (markdown) => adapters.signal.render(markdown),
  reads: ({ markup }) => markup,
  has: {
    network: true,
    threads: false,
    replies: true,
    files: true,
    strictMarkup: false,
    downloads: true,
    downloadsByAddress: false,
  },
  async start() {
    const bridge = await startSignalBridge();
    const ann = bridge.newPerson("Ann");
    const messageId = String(bridge.write(ann, { text: "hi" }));
    const to = (chatId: string) => bridge.sent.filter(({ recipient }) => recipient === chatId);
    const credentials = { signal_cli_url: bridge.url, phone_number: bridge.account.number };
    return {
      api: adapters.signal.api(credentials, environmentOf()),
      secrets: [new URL(bridge.url).host, bridge.account.number],
      place: dm(ann.uuid),
      thread: undefined,
      message: { messageId, sender: { id: ann.uuid, alternateId: undefined, name: "Ann" } },
      texts: ({ chatId }) =>
        to(chatId).map(({ text, quote }) => ({ text, replyTo: quote && String(quote.timestamp) })),
      files: ({ chatId }) => to(chatId).flatMap(({ attachments }) => attachments.map(({ bytes }) => bytes)),
      trouble: troubles(bridge, {
        // The bridge knows no credentials; the proxy before it may.
        unauthorized: { status: 401, text: "Unauthorized" },
        refused: { status: 400, json: { error: `Invalid id of ${bridge.account.number} at ${bridge.url}.` } },
      }),
      callCount: () => bridge.calls.length,
      file(bytes) {
        return mediaAt(bridge.attach(bytes, { contentType: "image/png" }).id);
      },
      close: () => bridge.close(),
    };
  },
});
