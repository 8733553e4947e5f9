/** The sums over many frames from which mean and covariance follow exactly, in a small fixed size. */
export class GaussianStatistics {
  count = 0;
  readonly sums: Float64Array;
  /** Lower triangle of the sum of outer products, row by row. */
  readonly products: Float64Array;

  constructor(readonly dimensions: number) {
    this.sums = new Float64Array(dimensions);
    this.products = new Float64Array((dimensions * (dimensions + 1)) / 2);
  }

  static merged(one: GaussianStatistics, other: GaussianStatistics, into = new GaussianStatistics(one.dimensions)): GaussianStatistics {
    into.clear();
    into.addAll(one);
    into.addAll(other);
    return into;
  }

  clear(): void {
    this.count = 0;
    this.sums.fill(0);
    this.products.fill(0);
  }

  /** Frames `from` to before `to` of an array of them. */
  addFrames(frames: Float32Array, from: number, to: number): void {
    const { dimensions, sums, products } = this;
    for (let frame = from; frame < to; frame++) {
      const offset = frame * dimensions;
      let at = 0;
      for (let row = 0; row < dimensions; row++) {
        const value = (frames[offset + row] as number);
        sums[row] = (sums[row] as number) + value;
        for (let column = 0; column <= row; column++, at++) products[at] = (products[at] as number) + value * (frames[offset + column] as number);
      }
    }
    this.count += Math.max(0, to - from);
  }

  addAll({ count, sums, products }: GaussianStatistics): void {
    this.count += count;
    for (let index = 0; index < sums.length; index++) this.sums[index] = (this.sums[index] as number) + (sums[index] as number);
    for (let index = 0; index < products.length; index++) this.products[index] = (this.products[index] as number) + (products[index] as number);
  }

  /** Lower triangle of the covariance, with `floor` added to each variance so that few frames have one as well. */
  covariance(floor: number, result = new Float64Array(this.products.length)): Float64Array {
    const { count, dimensions, sums, products } = this;
    let at = 0;
    for (let row = 0; row < dimensions; row++) {
      for (let column = 0; column <= row; column++, at++) {
        result[at] = (products[at] as number) / count - ((sums[row] as number) / count) * ((sums[column] as number) / count) + (row === column ? floor : 0);
      }
    }
    return result;
  }
}

/**
 * The logarithm of the determinant of a positive definite matrix, given by its lower triangle, by Cholesky's decomposition.
 * The argument is overwritten.
 */
export function logDeterminant(triangle: Float64Array, dimensions: number): number {
  let sum = 0;
  for (let row = 0; row < dimensions; row++) {
    const rowAt = (row * (row + 1)) / 2;
    for (let column = 0; column <= row; column++) {
      const columnAt = (column * (column + 1)) / 2;
      let value = (triangle[rowAt + column] as number);
      for (let index = 0; index < column; index++) value -= (triangle[rowAt + index] as number) * (triangle[columnAt + index] as number);
      if (column < row) {
        triangle[rowAt + column] = value / (triangle[columnAt + column] as number);
      } else {
        const diagonal = Math.sqrt(Math.max(value, Number.EPSILON));
        triangle[rowAt + column] = diagonal;
        sum += 2 * Math.log(diagonal);
      }
    }
  }
  return sum;
}
