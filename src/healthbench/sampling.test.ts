import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MersenneTwister } from './mersenneTwister.js';
import { pandasSample, pythonRandomSample, pythonRandomShuffle } from './sampling.js';

const sha256 = (indices: number[]) => createHash('sha256').update(indices.join(',')).digest('hex');
const outputs = (generator: MersenneTwister) => Array.from({ length: 6 }, () => generator.nextUint32());
const numbers = (text: string) => text.split(',').map(Number);

describe('raw outputs', () => {
  it('equal Python’s', () => {
    expect(outputs(MersenneTwister.fromKey([0]))).toEqual([
      3626764237, 1654615998, 3255389356, 3823568514, 1806341205, 173879092,
    ]);
    expect(outputs(MersenneTwister.fromKey([40]))).toEqual([
      1969700810, 2488880523, 3770413946, 2250445341, 136779594, 1053513193,
    ]);
  });

  it('equal NumPy’s', () => {
    expect(outputs(MersenneTwister.fromSeed(0))).toEqual([
      2357136044, 2546248239, 3071714933, 3626093760, 2588848963, 3684848379,
    ]);
    expect(outputs(MersenneTwister.fromSeed(40))).toEqual([
      1751002438, 2765994203, 237795335, 481769637, 3386731512, 3028082104,
    ]);
  });
});

/** Made with Python 3.11.7, NumPy 2.4.6, pandas 3.0.6: n, k, seed, first indices, sha256 over all, comma-joined. */
type Vector = [n: number, k: number, seed: number, first: string, hash: string | null];

const PYTHON: Vector[] = [
  [
    5000,
    10,
    0,
    '3155,3445,331,2121,4188,3980,3317,2484,3904,2933',
    '6b9d9dfcd38be7be3230a5b953008cb89d32a9a13b0088c0943411ac07b82d03',
  ],
  [5000, 100, 0, '3155', '9c7a82dc3c84ea92c93ee3b52811933f45928d6706caa7a97de4c429e7a80f9a'],
  [5000, 200, 0, '3155', 'de4633ae9632fe2b6ac3b847df0caa989381f3d89d4994709a391fb0ef0628bb'],
  [
    5000,
    1000,
    0,
    '3155,3445,331,2121,4188,3980,3317,2484,3904,2933,4779,1789,4134,1140,2308,1144,776,2052,4362,4930',
    'b16913611683fbd1bbf958ec737405600203592a02c479d60ca8aadf20169cad',
  ],
  [5000, 1365, 0, '3155', '897d871f1efc2c36211fb1ec37b806b345087477cf11715185115b6e8e6ac881'],
  [5000, 1366, 0, '3155', '80ce5276310e7a7d4d5a6b6769c9f379cee40ce8401ce0772cab760444f09c53'],
  [
    5000,
    10,
    40,
    '3756,4747,4292,260,2009,2313,1690,1051,2854,2270',
    'c19f10e5c3edad946df971b3d4d625f5bf1df78a74212b99f45b6566433a2d2f',
  ],
  [5000, 100, 40, '3756', 'b4d052fd73f17d2d081c5532aa65e408cf8b979ad968ec80629c9a48d3f19d59'],
  [
    5000,
    200,
    40,
    '3756,4747,4292,260,2009,2313,1690,1051,2854,2270,3610,234,4321,1063,485,1654,3773,435,1446,4954',
    'e44a4262329b5f0a4bb54562ea425a531bacc947342507a7d62546ce958f565f',
  ],
  [
    1000,
    10,
    0,
    '864,394,776,911,430,41,265,988,523,497',
    'b8fb4390e88e3e74dad047b251c0686d44f4021f819c45709703bd5c89a9e921',
  ],
  [1000, 85, 0, '864', '7a3d3acc07d15e93b2eb388fe48e109c4e5f8d438153d23b1f829872cd3e80c6'],
  [1000, 86, 0, '864', '3b149a25f3d5d22bbed7d4b8fd4f56ed441cf1933d3bb3bd8e04e0bc427bdf27'],
  [1000, 100, 0, '864', 'ff4692205b5d6b1d6f2a05ff19c7f253e1b4d411b819fc0fd6aa3009a8908bf3'],
  [
    3671,
    10,
    0,
    '3458,1577,3104,3646,1722,165,1060,2094,1990,1658',
    '5dd91196bd37dc664b987c694401fb3114fb2bb31833b75b09a2886c131c97ce',
  ],
  [3671, 100, 0, '3458', 'd2b466fc64e6b4d0593260f1390cf9dc0cc6d132754b7735fb447cacc175d37d'],
  [
    525,
    10,
    0,
    '394,430,41,265,523,497,414,310,488,366',
    '698d4aa19b1871e3dbb8eac421b981025e178754b0ac63fbf3863cb3d423f927',
  ],
  [525, 100, 0, '394', 'afc6e25415620c0e0760b507b76814d36c3962788256097f8e9cf5830625c7b0'],
  [
    29511,
    10,
    0,
    '27670,12623,24836,29171,13781,1326,8484,16753,15922,13268',
    '004d73b9640f222cd02e7ba902c2fd10a318e98c88da2913574d054472bc27e7',
  ],
  [29511, 100, 0, '27670', '26b249edc6c43d227406266b48dd015299658176eaf452d69c91dc63472ebc7e'],
  [20, 5, 0, '12,13,1,8,15', null],
  [22, 5, 0, '12,13,1,8,16', null],
];

const PANDAS: Vector[] = [
  [
    5000,
    10,
    40,
    '4088,2080,41,796,354,4183,4292,2346,2764,4949',
    '020ec768c0ae6a9313ae6dc078d7b78e6e5bcf592f8bc5fcfdd802a3c30a72dd',
  ],
  [5000, 100, 40, '4088', 'ed62cf0a0666a709c7c6e8adb70762e8e9b3f384d0bcb4285c9847531b88dc83'],
  [
    5000,
    200,
    40,
    '4088,2080,41,796,354,4183,4292,2346,2764,4949,3436,1613,3107,4034,3070,4725,1004,4674,3892,1455',
    '066789eaa3fa2e1c98c0f5165835d2e2c6e85296664f24f1ad82517c839841b5',
  ],
  [
    5000,
    1000,
    0,
    '398,3833,4836,4572,636,2545,1161,2230,148,2530,4070,1261,4682,333,906,3170,483,2825,1778,2466',
    'f1be5deb8ff41803bb74e58053775fbf7a344e6e7fa89b502581bbd8780b8395',
  ],
  [10, 5, 40, '4,3,8,1,2', null],
];

describe.each([
  ['Python', pythonRandomSample, PYTHON],
  ['pandas', pandasSample, PANDAS],
] as const)('the sample of %s', (_whose, sample, vectors) => {
  it.each(vectors)('%d, %d, seed %d', (n, k, seed, first, hash) => {
    const indices = sample(n, k, seed);
    expect(indices).toHaveLength(k);
    expect(indices.slice(0, numbers(first).length)).toEqual(numbers(first));
    if (hash) expect(sha256(indices)).toBe(hash);
  });

  it('picks k different positions in range, the same for the same seed', () => {
    const size = fc
      .integer({ min: 0, max: 300 })
      .chain((n) => fc.tuple(fc.constant(n), fc.integer({ min: 0, max: n })));
    fc.assert(
      fc.property(size, fc.integer({ min: 0, max: 2 ** 32 - 1 }), ([n, k], seed) => {
        const indices = sample(n, k, seed);
        expect(new Set(indices).size).toBe(k);
        expect(indices.every((at) => at >= 0 && at < n)).toBe(true);
        expect(sample(n, k, seed)).toEqual(indices);
      }),
    );
  });

  it.each([
    [3, 4, 0],
    [-1, 0, 0],
    [3, -1, 0],
    [3, 1.5, 0],
    [3, 1, 0.5],
    [3, 1, Number.NaN],
    [3, 1, 2 ** 53],
  ])('rejects n %d, k %d, seed %d', (n, k, seed) => {
    expect(() => sample(n, k, seed)).toThrow(RangeError);
  });
});

describe('seeds', () => {
  it('of Python have no sign and may be longer than 32 bits', () => {
    expect(pythonRandomSample(100, 5, -7)).toEqual(pythonRandomSample(100, 5, 7));
    expect(pythonRandomSample(1000, 5, 2 ** 40 + 3)).toEqual([225, 62, 562, 853, 96]);
  });

  it('of NumPy are 32 bits without a sign', () => {
    expect(() => pandasSample(3, 1, -1)).toThrow(RangeError);
    expect(() => pandasSample(3, 1, 2 ** 32)).toThrow(RangeError);
  });
});

describe('the shuffle of Python', () => {
  it('5000, seed 0', () => {
    const order = pythonRandomShuffle(5000, 0);
    expect(order.slice(0, 10)).toEqual([2795, 4151, 597, 2932, 3289, 1328, 4771, 1985, 3550, 1500]);
    expect(sha256(order)).toBe('175e75b35915b0ae5a247a9f4b7e4adc8044409b6eb9d43d8685dd436dedee88');
  });
});
