import { expect, it } from "vitest";
import { chooseOwnModel } from "#src/models/choose.ts";
import { fixtureLines } from "#test/models/fixture.ts";
import { refusedByOpenAi } from "#test/support/strict/openai.ts";
import { workOverHttp } from "./work-over-http.ts";

interface Server {
  name: string;
  model: string;
  provider?: string;
  /** Ids of calls that it takes. */
  ids: RegExp;
  /** What it must find in the message with the calls that comes back. */
  wants?: object;
  usage: object;
  /** Null for a server that does not tell it. */
  thought?: null;
}

const THOUGHT = "Two files are needed.";

/**
 * Servers by the response shapes that they document. Sources: https://docs.vllm.ai/en/latest/features/tool_calling.html,
 * https://docs.ollama.com/openai, https://docs.mistral.ai/capabilities/function_calling/,
 * https://ai.google.dev/gemini-api/docs/openai, https://api-docs.deepseek.com/api/create-chat-completion
 */
const SERVERS: readonly Server[] = [
  {
    name: "vllm",
    model: "Qwen/Qwen3-32B",
    ids: /^chatcmpl-tool-[0-9a-f]{32}$/u,
    wants: { reasoning_content: THOUGHT },
    usage: { inputTokens: 310, outputTokens: 50 },
  },
  { name: "ollama", model: "qwen3:8b", ids: /^call_/u, usage: { inputTokens: 310, outputTokens: 50 } },
  {
    name: "mistral",
    model: "magistral-medium-2509",
    ids: /^[a-zA-Z0-9]{9}$/u,
    usage: { inputTokens: 310, outputTokens: 50 },
  },
  {
    name: "gemini",
    model: "gemini-3-pro-preview",
    provider: "google",
    thought: null,
    ids: /^function-call-\d+$/u,
    wants: {
      tool_calls: [
        { extra_content: { google: { thought_signature: "EjQKMgEMOdbHJChLX75QUCJjyYlm" } } },
        { function: { name: "write_file" } },
      ],
    },
    usage: { inputTokens: 310, outputTokens: 50 },
  },
  {
    name: "deepseek",
    model: "deepseek-chat",
    provider: "deepseek",
    ids: /^call_0\d_\w{24}$/u,
    wants: { reasoning_content: THOUGHT },
    usage: { inputTokens: 310, outputTokens: 50, cachedInputTokens: 256 },
  },
];

it.each(SERVERS)(
  "a task with tools at $name is done as its documents describe the answers",
  async (server) => {
    const answers = [await fixtureLines(`${server.name}-calls`), await fixtureLines(`${server.name}-text`)];
    const { turns, failure, used, bodies, refusals, fileText } = await workOverHttp(
      (url) =>
        chooseOwnModel({
          account: {
            provider: server.provider ?? "custom/own",
            label: server.name,
            apiType: "openai",
            baseUrl: `${url}/v1`,
            isForeignAddress: false,
            apiKey: "sk-test-0123456789",
            isBearer: false,
            headers: {},
            model: server.model,
          },
          fetch,
          guardedFetch: fetch,
          stallMs: 60_000,
          maxRetries: 0,
        }),
      answers,
      (_, body) => refusedByOpenAi(body, { ids: server.ids }),
    );
    expect([failure, refusals]).toEqual([undefined, []]);
    expect(turns).toMatchObject([
      { tool_calls: [{ name: "write_file" }, { name: "write_file" }], is_complete: false },
      { response_text: "Both are there.", is_complete: true },
    ]);
    expect(turns[0]?.thought).toBe(server.thought === null ? null : THOUGHT);
    expect([await fileText("a.txt"), await fileText("b.txt")]).toEqual(["one", "two"]);
    expect(used[0]).toMatchObject(server.usage);
    expect(bodies[1]).toMatchObject({
      messages: [
        { role: "system" },
        { role: "user" },
        { role: "assistant", ...server.wants },
        { role: "tool" },
        { role: "tool" },
      ],
    });
  },
);
