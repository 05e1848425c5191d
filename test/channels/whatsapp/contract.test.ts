import { adapters } from "#src/channels/index.ts";
import { startWhatsapp } from "#test/support/platforms/whatsapp.ts";
import { apiContract } from "../api-contract.ts";
import { dm, environmentOf } from "../environment.ts";
import { mediaAt, troubles } from "../platform-under-test.ts";

const ANN = "16505551234";

apiContract({
  label: "WhatsApp",
  render: (markdown) => adapters.whatsapp.render(markdown),
  reads: ({ markup }) => markup,
  has: {
    network: true,
    threads: false,
    replies: true,
    files: true,
    strictMarkup: false,
    downloads: true,
    downloadsByAddress: true,
  },
  async start() {
    const platform = await startWhatsapp();
    const { id: messageId } = platform.write(platform.newPerson("Ann", { number: ANN }), { text: "hi" });
    const to = (chatId: string) => platform.sent.filter((each) => each.to === chatId);
    const environment = environmentOf();
    const baseUrls = { ...environment.baseUrls, whatsapp: platform.url };
    const mimeType = "image/png";
    const { access_token: token, app_secret: secret, verify_token: verifyToken } = platform.credentials;
    return {
      api: adapters.whatsapp.api(platform.credentials, { ...environment, baseUrls }),
      secrets: [token, secret, verifyToken],
      place: dm(ANN),
      thread: undefined,
      message: { messageId, sender: { id: ANN, alternateId: undefined, name: "Ann" } },
      texts: ({ chatId }) =>
        to(chatId)
          .filter(({ file }) => file === undefined)
          .map(({ text, replyTo }) => ({ text, replyTo })),
      files: ({ chatId }) => to(chatId).flatMap(({ file }) => (file === undefined ? [] : [file.bytes])),
      trouble: troubles(platform, {
        // Meta quotes what it was given.
        unauthorized: { status: 401, json: { error: { code: 190, message: `Bad token ${token}` } } },
        refused: { status: 400, json: { error: { code: 131_008, message: `Missing, for ${token}` } } },
      }),
      callCount: () => platform.calls.length,
      file: (bytes) => mediaAt(platform.attach(bytes, { mimeType })),
      fileAt: (url) => mediaAt(platform.attach(new Uint8Array(3), { mimeType, url })),
      close: () => platform.close(),
    };
  },
});
