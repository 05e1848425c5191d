import { visible, type ApprovalResponse, type ConversationApproval } from "@agent-workspace/client";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { workspace } from "../../service/workspace.ts";
import { Loaded } from "../loaded.tsx";
import { Refused } from "../refused.tsx";
import { useAction } from "../use-action.ts";
import { useRead } from "../../service/reads.ts";
import { InputCard } from "./input-card.tsx";
import { CallArguments } from "./tool-line.tsx";
import { targetOf, verbOf } from "./tool-words.ts";

/** Longest reason that the service takes. */
const MAX_REASON = 2_000;

/** What is shown of an approval, wherever it was read. */
export type Question = Pick<
  ConversationApproval,
  "approvalId" | "tool" | "args" | "isCut" | "state" | "reason" | "input"
>;

/** Answers an approval; the agent reads the reason of a denial, a server the content of what it asked. */
export type Answer = (
  approvalId: string,
  response: ApprovalResponse,
  reason?: string,
  content?: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

/** A question of the agent, with the exact call that waits. */
export function ApprovalCard({
  approval,
  answer,
}: {
  approval: Question;
  /** Undefined for who may not answer. */
  answer: Answer | undefined;
}) {
  const { approvalId, tool, args, state, reason, input } = approval;
  if (state === "open" && answer && input)
    return (
      <InputCard
        input={input}
        give={(response, content) => answer(approvalId, response, undefined, content)}
      />
    );
  if (state === "open" && answer) return <OpenQuestion approval={approval} answer={answer} />;
  return (
    <p class="muted small" dir="auto">
      {state === "open"
        ? "Needs input"
        : state === "allowed"
          ? input
            ? "Answered"
            : "Allowed"
          : input
            ? "Not answered"
            : "Denied"}
      : {input ? visible(input.message) : `${verbOf(tool)} ${targetOf(args)}`}
      {reason !== undefined && ` (${visible(reason)})`}
    </p>
  );
}

function OpenQuestion({ approval, answer }: { approval: Question; answer: Answer }) {
  const { approvalId, tool, args, isCut } = approval;
  const { run, isBusy, error } = useAction(answer);
  const card = useRef<HTMLElement>(null);
  const reason = useRef<HTMLInputElement>(null);
  const id = useId();
  const deny = () => {
    const why = reason.current?.value.trim() ?? "";
    run(approvalId, "stop", ...(why === "" ? [] : [why]));
  };
  // An effect would take the keys only after the card is painted, and lose the first one.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      // With Alt, as a letter alone is meant for a field more often than not. By its place: on a Mac it is another letter then.
      const { code } = event;
      if (!event.altKey || event.ctrlKey || event.metaKey || (code !== "KeyY" && code !== "KeyN")) return;
      // Of several questions, the first is meant; behind a dialog, none.
      if (document.querySelector(".approval") !== card.current || document.querySelector("dialog[open]"))
        return;
      event.preventDefault();
      card.current?.scrollIntoView({ block: "nearest" });
      if (code === "KeyN") reason.current?.focus();
      else run(approvalId, "allow_once");
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [approvalId]);
  return (
    <section class="approval" aria-label="The agent asks" ref={card}>
      <h2>
        The agent asks: {verbOf(tool)} <code dir="auto">{targetOf(args)}</code>
      </h2>
      {isCut === true ? (
        <WholeCall approvalId={approvalId} tool={tool} />
      ) : (
        <CallArguments tool={tool} args={args} />
      )}
      <div class="row">
        <button
          type="button"
          class="primary"
          aria-keyshortcuts="Alt+Y"
          title="Alt+Y"
          disabled={isBusy}
          onClick={() => run(approvalId, "allow_once")}
        >
          Allow once
        </button>
        <button type="button" disabled={isBusy} onClick={() => run(approvalId, "allow_all")}>
          Allow this tool in this chat
        </button>
        <span class="spring" />
        <form
          class="denial"
          onSubmit={(event) => {
            event.preventDefault();
            deny();
          }}
        >
          <label class="hidden" for={id}>
            Reason for denying
          </label>
          <input
            id={id}
            ref={reason}
            dir="auto"
            aria-keyshortcuts="Alt+N"
            title="Alt+N"
            autocomplete="off"
            maxLength={MAX_REASON}
            placeholder="What to do instead (optional)"
          />
          <button type="submit" disabled={isBusy}>
            Deny
          </button>
        </form>
      </div>
      {error !== undefined && <Refused error={error} />}
    </section>
  );
}

/** The call of an approval whose arguments were cut where it was told. */
function WholeCall({ approvalId, tool }: { approvalId: string; tool: string }) {
  const whole = useRead(["approvals", approvalId], (signal) =>
    workspace.approvals.get(approvalId, { signal }),
  );
  return <Loaded of={whole}>{({ parameters }) => <CallArguments tool={tool} args={parameters} />}</Loaded>;
}
