/**
 * Whether a chat or a task belongs to the viewer. Chats are private unless their owner shares them: other members of the team,
 * administrators included, see neither a chat nor its tasks, over HTTP or over sockets. See
 * docs/decisions/0028-agent-permissions.md, and docs/security.md for shared chats.
 */
export function isOwn(viewer: { userId: string }, { userId }: { userId: string }): boolean {
  return viewer.userId === userId;
}
