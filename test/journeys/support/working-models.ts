import { toStream } from "#test/models/answering.ts";
import { fixtureLines } from "#test/models/fixture.ts";
import { PROVIDER_KEY } from "#test/support/model-servers.ts";
import { png } from "#test/support/pictures.ts";
import { startScriptedProvider, type AnswerBlock } from "#test/support/scripted-provider.ts";

export const SECRET = "Zq7-winter-Lamp-93kd-harbour";
export const CALLS = 100;
/** A picture that the provider refuses. */
export const REFUSED = png(3, 2).toString("base64");

const usage = { input: 10, output: 5 };
const run = (command: string) => ({ name: "bash_exec", arguments: { command } });
const thinkingOf = (thinking: string, signature: string) =>
  ({ type: "thinking", thinking, signature }) as const;
/** The turns of a model that thinks. */
export const THINKING: AnswerBlock[][] = [
  [
    thinkingOf("The settings may say it.", "c2lnbmF0dXJlIG9uZQ=="),
    { type: "redacted_thinking", data: "c2VhbGVk" },
    { type: "text", text: "I look into the settings." },
    { type: "tool_use", id: "toolu_1", name: "bash_exec", input: { command: "cat .env" } },
  ],
  [
    thinkingOf(`It is ${SECRET}, I see.`, "c2lnbmF0dXJlIHR3bw=="),
    { type: "text", text: "There it is." },
    thinkingOf("Better not to say it.", "c2lnbmF0dXJlIHRocmVl"),
    { type: "tool_use", id: "toolu_2", name: "bash_exec", input: { command: "echo so" } },
  ],
  [thinkingOf("That is enough.", "c2lnbmF0dXJlIGZvdXI="), { type: "text", text: "The password is set." }],
];

const refusal = (status: number, message: string) => ({ refusal: { status, message } });

/** What the models of the journeys say. One that is to name a chat late waits for `titleIsOver`. */
export async function startWorkingModels(titleIsOver: Promise<void>) {
  const halves = Object.fromEntries(
    await Promise.all(
      ["openai", "anthropic"].map(
        async (wire) => [wire, toStream(await fixtureLines(`${wire}-lone-surrogates`))] as const,
      ),
    ),
  );
  let tries = 0;
  return startScriptedProvider({
    "mend the sum": [
      {
        calls: [
          { name: "read_file", arguments: { file_path: "sum.sh" } },
          { name: "grep", arguments: { pattern: "echo" } },
        ],
        usage,
      },
      { calls: [run("sh test.sh")], usage },
      {
        calls: [
          {
            name: "patch_file",
            arguments: { file_path: "sum.sh", old_str: "$1 - $2", new_str: "$1 + $2" },
          },
        ],
        usage,
      },
      { calls: [run("sh test.sh")], usage },
      { text: ["The sum ", "is right now."], usage },
    ],
    "look at the picture": [
      { calls: [{ name: "view_image", arguments: { path: "pixel.png", detail: "high" } }] },
      { text: ["One pixel."] },
    ],
    ...Object.fromEntries(
      Object.entries(halves).map(([wire, stream]) => [
        `half a character of ${wire}`,
        [
          (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(stream),
          { text: ["Hello."] },
        ],
      ]),
    ),
    "show the secret": [
      { calls: [run("cat .env"), { name: "read_file", arguments: { file_path: ".env" } }] },
      { calls: [run(`echo ${SECRET} | base64; echo ${SECRET} > copy.txt; wc -c copy.txt`)] },
      { text: [`The password is ${SECRET}, they say.`] },
    ],
    "a hundred at once": [
      {
        calls: Array.from({ length: CALLS }, (_, index) => ({
          name: "glob",
          arguments: { pattern: `*.${index}` },
        })),
      },
      { text: ["All done."] },
    ],
    // What is asked for the title has the message in a tag.
    [String.raw`<message>\nname it late`]: { text: ["Late tulips"], after: titleIsOver, usage },
    "name it late": { text: ["Hello."], usage },
    "tell a secret": { text: ["Key ghp_16C7e42F292c6912E7710c838347Ae178B4a works"] },
    [REFUSED]: refusal(400, "Could not process image"),
    "refuse oddly": refusal(400, `bad\0thing ${PROVIDER_KEY} ${"x".repeat(289)}\u{1F600} end`),
    "busy at first": (response) => {
      tries += 1;
      if (tries === 1) {
        response.writeHead(503, { "retry-after-ms": "1" }).end();
        return;
      }
      const said = { delta: { content: "Now I have time." }, finish_reason: "stop" };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`data: ${JSON.stringify({ choices: [said] })}\n\ndata: [DONE]\n\n`);
    },
    "write a file": [
      { calls: [{ name: "write_file", arguments: { file_path: "a.txt", content: "secret words" } }] },
      { text: ["Written."] },
    ],
    "find the password": THINKING.map((blocks) => ({ blocks, usage })),
    "search the web": [
      {
        calls: [
          { name: "web_search", arguments: { query: "beds" } },
          { name: "send_message", arguments: { channel: "discord", message: "The beds are done" } },
        ],
      },
      { text: ["Done."] },
    ],
    "": { text: ["Hello."], usage },
  });
}
