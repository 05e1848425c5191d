import { createOpenAiStyleModel } from "#src/models/openai-style/index.ts";
import { modelContract } from "#test/contracts/model.ts";

modelContract({
  name: "OpenAI style",
  connect: (origin) =>
    createOpenAiStyleModel({
      provider: "openai",
      model: "gpt-5",
      baseURL: `${origin}/v1`,
      apiKey: "k",
      fetch,
    }),
  opening: 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}\n\n',
  garbage: "data: <<<\n\n",
  overloaded: 'data: {"error":{"message":"The server is overloaded","type":"server_error","code":null}}\n\n',
});
