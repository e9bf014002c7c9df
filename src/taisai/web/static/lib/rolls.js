// Arithmetic on a roll of three dice, for display. Pure. What wins and what it pays is the server's business.

/** The sum of the faces. @param {readonly number[]} dice */
export function totalOf(dice) {
  return dice.reduce((sum, face) => sum + face, 0);
}

/** Whether all three faces are the same. @param {readonly number[]} dice */
export function isTriple(dice) {
  return dice.every((face) => face === dice[0]);
}

/**
 * The faces in ascending order, as a dealer calls them: 1-2-4.
 * @param {readonly number[]} dice
 * @param {(face: number) => string} [name]
 */
export function called(dice, name = String) {
  return [...dice]
    .sort((one, two) => one - two)
    .map(name)
    .join("-");
}
