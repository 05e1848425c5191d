import { visible, type ConversationCall } from "@agent-workspace/client";
import { useEffect, useState } from "preact/hooks";
import { lazily } from "../../lazily.tsx";
import { duration } from "../moment.tsx";
import { Refused } from "../refused.tsx";
import { replacementsOf, targetOf, verbOf, type Replacement } from "./tool-words.ts";

/** What compares texts is loaded once there is something to compare. */
const ReplacementDiff = lazily<{ replacements: readonly Replacement[] }>(
  async () => (await import("./replacement-diff.tsx")).ReplacementDiff,
);

const OUTCOME = { running: "running", done: "done", failed: "failed" } as const;

/** What a call was given, and what it returned. */
type CallContent = Pick<ConversationCall, "args" | "result">;

/** Fetches a call whose arguments or result are cut. */
export type WholeCall = (callId: string) => Promise<CallContent>;

/** One call of the agent: what it does to what, how long it took and how it ended; opened, its arguments and its result. */
export function ToolLine({ call, whole }: { call: ConversationCall; whole: WholeCall }) {
  const { tool, args, state, durationMs } = call;
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="tool" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <span class="verb">{verbOf(tool)}</span>
        <code class="target">{targetOf(args)}</code>
        {durationMs !== undefined && <span class="muted small">{duration(durationMs)}</span>}
        <span class={`outcome ${state}`}>{OUTCOME[state]}</span>
      </summary>
      {isOpen && (call.isCut ? <FetchedCall call={call} whole={whole} /> : <Content {...call} />)}
    </details>
  );
}

function FetchedCall({ call, whole }: { call: ConversationCall; whole: WholeCall }) {
  const [found, setFound] = useState<CallContent>();
  const [error, setError] = useState<unknown>();
  const read = () => {
    setError(undefined);
    whole(call.id).then(setFound, setError);
  };
  useEffect(read, [call.id]);
  if (found) return <Content tool={call.tool} {...found} />;
  if (error !== undefined) return <Refused error={error} again={read} />;
  return (
    <p class="muted small" role="status">
      Loading…
    </p>
  );
}

function Content({ tool, args, result }: { tool: string } & CallContent) {
  return (
    <>
      <CallArguments tool={tool} args={args} />
      {result && <Fields title="Result" value={result} />}
    </>
  );
}

/** What a call is about to do, or did: an edit as the lines that change, everything else as it is. */
export function CallArguments({ tool, args }: Pick<ConversationCall, "tool" | "args">) {
  const replacements = replacementsOf(tool, args);
  return replacements ? (
    <ReplacementDiff replacements={replacements} />
  ) : (
    <Fields title="Arguments" value={args} />
  );
}

/** Values as they are: foreign text is shown, never interpreted, and nothing in it is hidden. */
function Fields({ title, value }: { title: string; value: Readonly<Record<string, unknown>> }) {
  return (
    <div class="fields">
      <p class="muted small">{title}</p>
      {Object.entries(value).map(([name, each]) => (
        <div key={name}>
          <p class="muted small">{visible(name)}</p>
          <pre tabIndex={0}>{visible(typeof each === "string" ? each : JSON.stringify(each, null, 2))}</pre>
        </div>
      ))}
    </div>
  );
}
