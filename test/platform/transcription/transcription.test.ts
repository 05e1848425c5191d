import { buffer } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { startDemoModel } from "#stand-ins/model/index.ts";
import { serve } from "#local/serve.ts";
import { createTranscription, type TranscriptionConfig } from "#src/platform/transcription/index.ts";

const demo = await startDemoModel();
afterAll(() => demo.close());

const configOf = (values: Partial<TranscriptionConfig> = {}): TranscriptionConfig => ({
  isOn: true,
  model: "whisper-1",
  account: { apiKey: undefined, baseUrl: "http://127.0.0.1:9/v1" },
  demoUrl: demo.url,
  fetch,
  ...values,
});

const recording = (text: string, mimeType = "audio/ogg; codecs=opus") => ({
  bytes: Uint8Array.from(new TextEncoder().encode(text)),
  mimeType,
});

/** A server that answers with these statuses in turn, and keeps what it was sent. */
async function serverOf(statuses: readonly number[]) {
  const received: { authorization: string | undefined; name: string; model: unknown }[] = [];
  const server = await serve(async (request, response) => {
    const body = new Uint8Array(await buffer(request));
    const headers = { "content-type": request.headers["content-type"] ?? "" };
    const form = await new Response(body, { headers }).formData();
    const file = form.get("file");
    received.push({
      authorization: request.headers.authorization,
      name: file instanceof File ? file.name : "",
      model: form.get("model"),
    });
    const status = statuses[received.length - 1] ?? 200;
    response.writeHead(status, { "content-type": "application/json", location: "/elsewhere" });
    response.end(status === 200 ? '{"text":" Heard. "}' : '{"error":{"message":"no sk-secret"}}');
  });
  const account = { apiKey: "sk-secret", baseUrl: `${server.url}/v1` };
  return { received, close: server.close, transcription: createTranscription(configOf({ account })) };
}

describe("a transcription", () => {
  it("is not there when it is switched off, or has neither a key nor the demo model", () => {
    expect(createTranscription(configOf({ isOn: false }))).toBeUndefined();
    expect(createTranscription(configOf({ demoUrl: undefined }))).toBeUndefined();
  });

  it("comes from the demo model where no key is set", async () => {
    const transcription = createTranscription(configOf());
    expect(await transcription?.transcribe(recording("Good morning"))).toBe("Good morning");
    const noText = { bytes: Uint8Array.of(0x4f, 0x67, 0, 0xff), mimeType: "audio/ogg" };
    expect(await transcription?.transcribe(noText)).toBe("This is a recording of 4 bytes.");
  });

  it("comes from the account, by a name whose ending tells the format", async () => {
    const { received, transcription, close } = await serverOf([]);
    for (const type of ["audio/ogg; codecs=opus", "audio/mp4", "audio/webm;codecs=opus", "audio/other"]) {
      expect(await transcription?.transcribe(recording("x", type))).toBe("Heard.");
    }
    const common = { authorization: "Bearer sk-secret", model: "whisper-1" };
    expect(received).toEqual(
      ["voice.ogg", "voice.m4a", "voice.webm", "voice.ogg"].map((name) => ({ ...common, name })),
    );
    await close();
  });

  it("is tried again once when the server fails for the moment", async () => {
    const { received, transcription, close } = await serverOf([503]);
    expect(await transcription?.transcribe(recording("x"))).toBe("Heard.");
    expect(received).toHaveLength(2);
    await close();
  });

  it.each([
    ["fails twice", [500, 503], "unavailable", 2],
    ["refuses the recording", [400], "provider_failed", 1],
  ])("fails without the key in its error when the server %s", async (_, statuses, code, calls) => {
    const { received, transcription, close } = await serverOf(statuses);
    const failure: unknown = await transcription?.transcribe(recording("x")).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code });
    expect(String(failure)).not.toContain("sk-secret");
    expect(received).toHaveLength(calls);
    await close();
  });
});
