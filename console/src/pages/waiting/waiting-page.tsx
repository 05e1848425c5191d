import type { api } from "@agent-workspace/client";
import { Inbox } from "lucide-preact";
import { Link } from "wouter-preact";
import { ApprovalCard, type Question } from "../../parts/agent/approval-card.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Heading } from "../../parts/heading.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { keys, stale, useApprovals, useProjects } from "../../service/reads.ts";
import { workspace } from "../../service/workspace.ts";

/** What waits for the person, in all projects: each question of an agent with the exact call. */
export function WaitingPage() {
  const { data: projects = [] } = useProjects();
  const nameOf = (project: string) => {
    const found = projects.find(({ id }) => id === project);
    return found && `in ${found.name}`;
  };
  return (
    <>
      <Heading>Needs your input</Heading>
      <Loaded of={useApprovals()}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon={Inbox} title="Nothing needs your input">
              In chats set to “Ask first”, the agent asks before it changes files or runs commands. Its
              questions appear here.
            </Empty>
          ) : (
            found.map((approval) => (
              <section key={approval.approval_id}>
                <p class="muted small">
                  <Link href={`/projects/${approval.project_id}/chats/${approval.chat_id}`}>Open chat</Link>{" "}
                  {nameOf(approval.project_id)} · asked <Moment at={approval.created_at} />
                </p>
                <ApprovalCard
                  approval={questionOf(approval)}
                  answer={async (approvalId, response, reason, content) => {
                    await workspace.approvals.answer(approvalId, response, {
                      ...(reason !== undefined && { reason }),
                      content,
                    });
                    stale(keys.approvals, keys.sidebar);
                  }}
                />
              </section>
            ))
          )
        }
      </Loaded>
    </>
  );
}

function questionOf({ approval_id, tool, parameters, input }: api.ListApprovalsAnswerItem): Question {
  const asked = input === null ? {} : { input };
  return { approvalId: approval_id, tool, args: parameters, state: "open", reason: undefined, ...asked };
}
