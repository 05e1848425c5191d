import { visible, type ConversationApproval, type ConversationCall } from "@agent-workspace/client";
import { Ban, Check, CircleAlert, FileSymlink, LoaderCircle, type LucideIcon } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { lazily } from "../../lazily.tsx";
import { LinkedFile } from "../files/file-link.tsx";
import { Folded } from "../folded.tsx";
import { Icon } from "../icon.tsx";
import { Refused } from "../refused.tsx";
import { lineOf, type CallLine } from "./call-line.ts";
import { Counts } from "./counts.tsx";
import { replacementsOf, type Replacement } from "./tool-words.ts";

/** What compares texts is loaded once there is something to compare. */
const ReplacementDiff = lazily<{ replacements: readonly Replacement[] }>(
  async () => (await import("./replacement-diff.tsx")).ReplacementDiff,
);

const OUTCOMES: Readonly<Record<CallLine["outcome"], readonly [word: string, icon: LucideIcon]>> = {
  running: ["Running", LoaderCircle],
  done: ["Done", Check],
  failed: ["Failed", CircleAlert],
  denied: ["Denied", Ban],
};

/** What a call was given, and what it returned. */
type CallContent = Pick<ConversationCall, "args" | "result">;

/** Fetches a call whose arguments or result are cut. */
export type WholeCall = (callId: string) => Promise<CallContent>;

interface ToolLineProps {
  call: ConversationCall;
  /** What a person was asked about the call. */
  approval?: ConversationApproval | undefined;
  whole: WholeCall;
}

/** One call of the agent: what happened, in a line; opened, its arguments and its result. */
export function ToolLine({ call, approval, whole }: ToolLineProps) {
  const { verb, target, file, counts, notes, outcome } = lineOf(call, approval);
  const [isOpen, setOpen] = useState(false);
  const [word, icon] = OUTCOMES[outcome];
  return (
    <div class="tool-line">
      <details class="tool" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class={`outcome ${outcome}`}>
            <Icon of={icon} />
            <span class="hidden">{word}</span>
          </span>
          <span class="verb">{verb}</span>
          <span class="target">
            <code dir="auto">{target}</code>
          </span>
          {counts && <Counts of={counts} />}
          {notes.map((note) => (
            <span key={note} class={`note ${outcome}`} dir="auto">
              {note}
            </span>
          ))}
        </summary>
        {isOpen && (call.isCut ? <FetchedCall call={call} whole={whole} /> : <Content {...call} />)}
      </details>
      {/* Beside the line: what folds holds nothing else that is pressed. */}
      {file !== undefined && (
        <LinkedFile path={file} isNamed={false}>
          <Icon of={FileSymlink} />
          <span class="hidden">Open {target}</span>
        </LinkedFile>
      )}
    </div>
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

/** What a person looks for in a call, then all of it. */
function Content({ tool, args, result }: { tool: string } & CallContent) {
  return (
    <>
      <CallArguments tool={tool} args={args} />
      {result && <Outcome result={result} />}
      {result && (
        <Folded summary="Whole result">
          <Fields title="Result" value={result} />
        </Folded>
      )}
    </>
  );
}

/** Texts of a result that are shown as they are. */
const TEXTS = ["stdout", "stderr", "output", "new_output", "content"];

function Outcome({ result }: { result: Readonly<Record<string, unknown>> }) {
  const sentences = [result["error"] ?? result["message"], result["suggestion"]];
  return (
    <>
      {sentences.map(
        (each, index) =>
          typeof each === "string" && (
            <p key={index} class="muted small" dir="auto">
              {visible(each)}
            </p>
          ),
      )}
      {TEXTS.map((name) => {
        const text = result[name];
        return (
          typeof text === "string" &&
          text !== "" && (
            <pre key={name} tabIndex={0} dir="auto" role="group" aria-label={name}>
              {visible(text)}
            </pre>
          )
        );
      })}
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
          <pre tabIndex={0} dir="auto">
            {visible(typeof each === "string" ? each : JSON.stringify(each, null, 2))}
          </pre>
        </div>
      ))}
    </div>
  );
}
