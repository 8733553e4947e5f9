/** The process dies as by the kernel's out-of-memory killer. */
export const kill = {
  async disturb({ parlance }) {
    await parlance.kill();
    await parlance.restart();
  },
};
