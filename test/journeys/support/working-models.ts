import { png } from "#test/support/pictures.ts";
import { startScriptedProvider, type AnswerBlock } from "#test/support/scripted-provider.ts";

export const SECRET = "Zq7-winter-Lamp-93kd-harbour";
/** A picture that the provider refuses. */
export const REFUSED_PICTURE = png(3, 2).toString("base64");

const usage = { input: 10, output: 5 };
/** A cent on each side. */
const TWO_CENTS = { input: 1000, output: 500 };
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

/** What the models of the journeys say. One that is to name a chat late waits for `titleIsOver`. */
export function startWorkingModels(titleIsOver: Promise<void>) {
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
    "show the secret": [
      { calls: [run("cat .env"), { name: "read_file", arguments: { file_path: ".env" } }] },
      { calls: [run(`echo ${SECRET} | base64; echo ${SECRET} > copy.txt; wc -c copy.txt`)] },
      { text: [`The password is ${SECRET}, they say.`] },
    ],
    // What is asked for the title has the message in a tag.
    [String.raw`<message>\nname it late`]: { text: ["Late tulips"], after: titleIsOver, usage },
    "name it late": { text: ["Hello."], usage },
    [REFUSED_PICTURE]: { refusal: { status: 400, message: "Could not process image" } },
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
    "hold on": { text: ["Hel"], stops: "hold" },
    "sleep now": { calls: [run("sleep 60")], usage: TWO_CENTS },
    "count up": { calls: [run("echo one >> count.txt")], usage: TWO_CENTS },
    "": { text: ["Hello."], usage: TWO_CENTS },
  });
}
